import Attestation
import Crypto
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Keys in TPMs, WebAuthn Level 3 §8.3")
struct TPMTests {
    /// What a TPM and its certificate say; everything right unless a test says otherwise.
    struct Statement {
        var version = "2.0"
        var magic: [UInt8] = [0xFF, 0x54, 0x43, 0x47]
        var type: [UInt8] = [0x80, 0x17]
        /// Exclusive or with the digest that the TPM signed along.
        var extraDataChange: UInt8 = 0
        /// Exclusive or with the name of the key.
        var nameChange: UInt8 = 0
        var nameAlgorithm: [UInt8] = [0, 11]
        var symmetric: [UInt8] = [0, 16]
        var trailing: [UInt8] = []
        var publicTrailing: [UInt8] = []
        var modulusChange: UInt8 = 0
        var form = TestAuthority.Form(
            isNameless: true, alternativeName: TPMTests.device(maker: "id:FFFFF1D0"), usages: TPMTests.usages)
    }

    static let usages: [UInt8] = [0x30, 7, 6, 5, 0x67, 0x81, 5, 8, 3]

    /// `directoryName` with maker, model and version, each in a set of its own.
    static func device(maker: String, model: String = "M", version: String = "id:1") -> [UInt8] {
        let attribute = { (last: UInt8, text: String) -> [UInt8] in
            let value = [0x0C, UInt8(text.utf8.count)] + Array(text.utf8)
            let pair: [UInt8] = [6, 5, 0x67, 0x81, 5, 2, last] + value
            return [0x31, UInt8(pair.count + 2), 0x30, UInt8(pair.count)] + pair
        }
        let name = attribute(1, maker) + attribute(2, model) + attribute(3, version)
        let directory = [0x30, UInt8(name.count)] + name
        return [0x30, UInt8(directory.count + 2), 0xA4, UInt8(directory.count)] + directory
    }

    private static func sized(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }

    private func publicArea(_ statement: Statement, modulus: [UInt8]) -> [UInt8] {
        var modulus = modulus
        modulus[0] ^= statement.modulusChange
        // RSA, attributes, no policy, the scheme RSASSA with SHA-256, 2048 bits, the usual exponent.
        return [0, 1] + statement.nameAlgorithm + [0, 6, 4, 0x72] + [0, 0] + statement.symmetric
            + [0, 0x14, 0, 11] + [8, 0] + [0, 0, 0, 0] + Self.sized(modulus) + statement.publicTrailing
    }

    private func register(_ statement: Statement) async throws -> CredentialAttestation {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.algorithms = [.rs256]
        var authenticator = SoftwareAuthenticator(seed: [1], behaviour: behaviour)
        let test = TestAttestation()
        let ceremony = try test.ceremony()
        var response = try authenticator.register(
            ceremony.policy.creationOptions(challenge: TestAttestation.challenge, user: .init(id: [1])))
        let data = try AttestationObject(response.attestationObject).authenticatorData
        let hash = Array(SHA256.hash(data: response.clientDataJSON))
        let key = try CBORValue(decoding: try #require(data.attestedCredential).publicKey).mapValue
        let area = publicArea(statement, modulus: try #require(key?[-1]?.bytesValue))
        var name = statement.nameAlgorithm + Array(SHA256.hash(data: area))
        name[name.count - 1] ^= statement.nameChange
        var extraData = Array(SHA256.hash(data: data.encoded + hash))
        extraData[0] ^= statement.extraDataChange
        let certified =
            statement.magic + statement.type + Self.sized([]) + Self.sized(extraData)
            + [UInt8](repeating: 0, count: 25) + Self.sized(name) + Self.sized([]) + statement.trailing
        let root = try TestAuthority()
        let signature = Array(try test.key.signature(for: certified).derRepresentation)
        response.attestationObject =
            CBORValue.map(
                CBORMap([
                    (.text("fmt"), .text("tpm")), (.text("authData"), .bytes(data.encoded)),
                    (
                        .text("attStmt"),
                        .map(
                            CBORMap([
                                (.text("ver"), .text(statement.version)), (.text("alg"), .integer(-7)),
                                (.text("sig"), .bytes(signature)), (.text("certInfo"), .bytes(certified)),
                                (.text("pubArea"), .bytes(area)),
                                (
                                    .text("x5c"),
                                    .array([.bytes(try root.certify(test.key.publicKey, statement.form))])
                                ),
                            ]))
                    ),
                ])
            ).encoded
        return try await ceremony.verify(
            response, trust: CertificateTrust(roots: [root.encoded]), at: TestAttestation.now
        ).attestation
    }

    @Test func `an RSA key in a TPM is trusted by its certificate`() async throws {
        let found = try await register(Statement())
        #expect(found.isTrusted && found.kind == .attestationAuthority)
    }

    @Test func `whatever is not about this key, in this ceremony, by a TPM, is refused`() async throws {
        let changes: [(String, (inout Statement) -> Void)] = [
            ("version", { $0.version = "1.2" }), ("magic", { $0.magic[3] = 0x48 }), ("type", { $0.type[1] = 0x18 }),
            ("another ceremony", { $0.extraDataChange = 1 }), ("another key's name", { $0.nameChange = 1 }),
            ("a digest that is not supported", { $0.nameAlgorithm = [0, 4] }),
            ("a key for encryption", { $0.symmetric = [0, 6] }), ("bytes after certInfo", { $0.trailing = [0] }),
            ("bytes after pubArea", { $0.publicTrailing = [0] }), ("another key", { $0.modulusChange = 1 }),
        ]
        for (name, change) in changes {
            var statement = Statement()
            change(&statement)
            let found = await problem { try await register(statement) }
            #expect(found?.step == .registration(22), "\(name)")
        }
    }

    @Test func `the certificate is that of a TPM's key`() async throws {
        let changes: [(String, (inout TestAuthority.Form) -> Void)] = [
            ("a subject", { $0.isNameless = false }), ("no device", { $0.alternativeName = nil }),
            ("no maker", { $0.alternativeName = TPMTests.device(maker: "") }),
            ("a maker that is no number", { $0.alternativeName = TPMTests.device(maker: "id:ZZZZZZZZ") }),
            ("no model", { $0.alternativeName = TPMTests.device(maker: "id:FFFFF1D0", model: "") }),
            ("no version", { $0.alternativeName = TPMTests.device(maker: "id:FFFFF1D0", version: "") }),
            ("no usage", { $0.usages = nil }), ("another usage", { $0.usages?[8] = 1 }),
            ("an authority", { $0.isAuthority = true }),
            ("another model", { $0.model = [UInt8](repeating: 9, count: 16) }),
        ]
        for (name, change) in changes {
            var statement = Statement()
            change(&statement.form)
            let found = await problem { try await register(statement) }
            #expect(found?.rule == .attestationInvalid, "\(name)")
        }
    }
}
