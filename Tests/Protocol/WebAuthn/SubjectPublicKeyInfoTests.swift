import Crypto
import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnJose
import KeyturnWebAuthn
import Testing

@Suite("Public keys in DER, RFC 5280 §4.1.2.7")
struct SubjectPublicKeyInfoTests {
    /// A value in DER, of fewer than 65 536 bytes.
    private func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 128
            ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
        return [tag] + length + content
    }

    private func bytes(_ key: JSONWebKey, _ name: String) -> [UInt8] {
        key.json[name]?.stringValue.flatMap { Base64URL.decode($0) } ?? []
    }

    /// The key as X.509 writes it, put together by hand.
    private func info(_ algorithm: COSEAlgorithm) throws -> [UInt8] {
        let key = try CredentialKey(algorithm, seed: [1]).publicKey.jsonWebKey
        let point = [4] + bytes(key, "x") + bytes(key, "y")
        let elliptic: [UInt8] = der(6, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1])
        let (identifier, content): ([UInt8], [UInt8]) =
            switch algorithm {
            case .es256: (elliptic + der(6, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]), point)
            case .es384: (elliptic + der(6, [0x2B, 0x81, 4, 0, 34]), point)
            case .es512: (elliptic + der(6, [0x2B, 0x81, 4, 0, 35]), point)
            case .edDSA: (der(6, [0x2B, 0x65, 0x70]), bytes(key, "x"))
            case .rs256, .ps256:
                (
                    der(6, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]) + [5, 0],
                    der(0x30, der(2, [0] + bytes(key, "n")) + der(2, bytes(key, "e")))
                )
            }
        return der(0x30, der(0x30, identifier) + der(3, [0] + content))
    }

    @Test(arguments: COSEAlgorithm.allCases)
    func `a key in DER is the key in COSE`(_ algorithm: COSEAlgorithm) throws {
        let key = try JSONWebKey(subjectPublicKeyInfo: try info(algorithm))
        let known = try CredentialKey(algorithm, seed: [1]).publicKey
        #expect(try COSEKey(key, algorithm: algorithm) == known)
        #expect(COSEAlgorithm.only(of: key) == ([.rs256, .ps256].contains(algorithm) ? nil : algorithm))
    }

    @Test func `a key that the library wrote is read`() throws {
        let key = P256.Signing.PrivateKey().publicKey
        let read = try JSONWebKey(subjectPublicKeyInfo: Array(key.derRepresentation))
        #expect(bytes(read, "x") + bytes(read, "y") == Array(key.rawRepresentation))
    }

    @Test(arguments: COSEAlgorithm.allCases)
    func `a key that is cut, longer, or of another kind is refused`(_ algorithm: COSEAlgorithm) throws {
        let info = try info(algorithm)
        var wrongKind = info
        wrongKind[6] ^= 1
        let compressed = der(0x30, der(0x30, der(6, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1])) + der(3, [0, 2, 7]))
        for wrong in [Array(info.dropLast()), info + [0], wrongKind, compressed, [], [0x30, 0]] {
            let refusal = #expect(throws: WebAuthnProblem.self) { try JSONWebKey(subjectPublicKeyInfo: wrong) }
            #expect(refusal?.rule == .keyInvalid)
        }
    }
}
