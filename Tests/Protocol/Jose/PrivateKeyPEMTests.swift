import Foundation
import KeyturnBase
import KeyturnJose
import Testing

@Suite("Private keys in PEM, RFC 5958 and RFC 8018")
struct PrivateKeyPEMTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let pem: String
        let algorithm: SignatureAlgorithm
        var passphrase: String?
    }

    static let readable = [
        Case(testDescription: "RSA, PKCS#8", pem: PEMKeys.rsa, algorithm: .rs256),
        Case(testDescription: "RSA, PKCS#1", pem: PEMKeys.rsaPKCS1, algorithm: .rs256),
        Case(testDescription: "RSA under AES-256", pem: PEMKeys.rsaAES, algorithm: .rs256, passphrase: "correct"),
        Case(testDescription: "RSA under DES", pem: PEMKeys.rsaDES, algorithm: .rs256, passphrase: "correct"),
        Case(testDescription: "P-256, PKCS#8", pem: PEMKeys.p256, algorithm: .es256),
        Case(testDescription: "P-256, SEC 1", pem: PEMKeys.p256SEC1, algorithm: .es256),
        Case(testDescription: "P-256 under AES-128", pem: PEMKeys.p256AES, algorithm: .es256, passphrase: "correct"),
        Case(testDescription: "P-384 under AES-192", pem: PEMKeys.p384AES, algorithm: .es384, passphrase: "correct"),
        Case(testDescription: "P-521 under AES-256", pem: PEMKeys.p521AES, algorithm: .es512, passphrase: "correct"),
        Case(testDescription: "Ed25519", pem: PEMKeys.ed25519, algorithm: .edDSA),
        Case(testDescription: "Ed25519 under AES", pem: PEMKeys.ed25519AES, algorithm: .edDSA, passphrase: "correct"),
    ]

    @Test(arguments: readable)
    func `a key is read, and signs`(_ c: Case) throws {
        let key = try SigningKey(pem: c.pem, passphrase: c.passphrase)
        #expect(key.algorithm == c.algorithm)
        let token = try JWSSigner(key: key, type: "JWT").sign(Array("{}".utf8))
        #expect(throws: Never.self) {
            try UnverifiedJWS(token).verify(with: VerificationKey(key.publicKey, algorithm: c.algorithm))
        }
    }

    @Test func `one key is the same however it is written`() throws {
        let plain = try SigningKey(pem: PEMKeys.rsa, passphrase: nil).publicKey
        for pem in [PEMKeys.rsaAES, PEMKeys.rsaDES] {
            #expect(try SigningKey(pem: pem, passphrase: "correct").publicKey == plain)
        }
        let curve = try SigningKey(pem: PEMKeys.p256, passphrase: nil).publicKey
        #expect(try SigningKey(pem: PEMKeys.p256SEC1, passphrase: nil).publicKey == curve)
        #expect(try SigningKey(pem: PEMKeys.p256AES, passphrase: "correct").publicKey == curve)
        let crowded = "words\r\n" + PEMKeys.rsa.split(separator: "\n").joined(separator: "\r\n") + "\r\nmore"
        #expect(try SigningKey(pem: crowded, passphrase: "not needed").publicKey == plain)
    }

    @Test(arguments: [SignatureAlgorithm.rs384, .rs512, .ps256])
    func `an RSA key signs with what it is told to`(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey(pem: PEMKeys.rsa, passphrase: nil, algorithm: algorithm)
        #expect(key.algorithm == algorithm)
        let token = try JWSSigner(key: key, type: "JWT").sign(Array("{}".utf8))
        #expect(try UnverifiedJWS(token).header.algorithm == algorithm)
    }

    static let refused = [
        Case(testDescription: "a wrong passphrase, AES", pem: PEMKeys.rsaAES, algorithm: .rs256, passphrase: "wrong"),
        Case(testDescription: "a wrong passphrase, DES", pem: PEMKeys.rsaDES, algorithm: .rs256, passphrase: "wrong"),
        Case(
            testDescription: "a wrong passphrase, P-256", pem: PEMKeys.p256AES, algorithm: .es256, passphrase: "wrong"),
        Case(testDescription: "an empty passphrase", pem: PEMKeys.rsaDES, algorithm: .rs256, passphrase: ""),
        Case(testDescription: "no passphrase", pem: PEMKeys.rsaAES, algorithm: .rs256),
        Case(testDescription: "scrypt", pem: PEMKeys.p521Scrypt, algorithm: .es512, passphrase: "correct"),
        Case(testDescription: "P-256 under DES", pem: PEMKeys.p256DES, algorithm: .es256, passphrase: "correct"),
        Case(testDescription: "the form before PKCS#8", pem: PEMKeys.rsaOld, algorithm: .rs256, passphrase: "correct"),
        Case(testDescription: "no key", pem: "", algorithm: .rs256),
        Case(
            testDescription: "a public key", pem: "-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----",
            algorithm: .rs256),
        Case(
            testDescription: "garbage", pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
            algorithm: .rs256),
        Case(
            testDescription: "garbage that is encrypted",
            pem: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----", algorithm: .rs256,
            passphrase: "correct"),
        Case(testDescription: "a file of another size", pem: String(repeating: "x", count: 65_537), algorithm: .rs256),
    ]

    @Test(arguments: refused)
    func `what is no key, or does not open, is refused`(_ c: Case) {
        let problem = #expect(throws: JoseProblem.self) { try SigningKey(pem: c.pem, passphrase: c.passphrase) }
        #expect(problem?.rule == .invalidKey)
    }

    @Test(arguments: [PEMKeys.rsa, PEMKeys.rsaPKCS1, PEMKeys.p256, PEMKeys.p256SEC1, PEMKeys.ed25519])
    func `the lines of a key may be long, and a byte after it is refused`(_ pem: String) throws {
        let lines = pem.split(separator: "\n").map(String.init)
        let der = try #require(lines.dropFirst().dropLast().joined().decodedBase64)
        func key(_ der: [UInt8]) throws -> SigningKey {
            let pem = [lines[0], Data(der).base64EncodedString(), lines[lines.count - 1]].joined(separator: "\n")
            return try SigningKey(pem: pem, passphrase: nil)
        }
        #expect(try key(der).publicKey == SigningKey(pem: pem, passphrase: nil).publicKey)
        let problem = #expect(throws: JoseProblem.self) { try key(der + [0]) }
        #expect(problem?.rule == .invalidKey)
    }

    @Test func `a key signs with no algorithm of another kind`() {
        for (pem, algorithm) in [
            (PEMKeys.rsa, SignatureAlgorithm.es256), (PEMKeys.p256, .es384), (PEMKeys.p256, .rs256),
        ] {
            let problem = #expect(throws: JoseProblem.self) {
                try SigningKey(pem: pem, passphrase: nil, algorithm: algorithm)
            }
            #expect(problem?.rule == .algorithmMismatch)
        }
    }

    @Test func `every byte of an encrypted key may be wrong without harm`() throws {
        let der = try #require(PEMKeys.p256AES.split(separator: "\n").dropFirst().dropLast().joined().decodedBase64)
        for index in der.indices {
            var damaged = der
            damaged[index] ^= 0xFF
            let pem =
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(Data(damaged).base64EncodedString())\n-----END ENCRYPTED PRIVATE KEY-----"
            // Most do not open; a few bits of the padding or of the public half do not matter.
            _ = try? SigningKey(pem: pem, passphrase: "correct")
        }
        #expect(der.count > 200)
    }
}

extension String {
    fileprivate var decodedBase64: [UInt8]? { Data(base64Encoded: self).map { Array($0) } }
}
