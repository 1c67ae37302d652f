import Attestation
import Crypto
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import Testing

@Suite("Android's keys, WebAuthn Level 3 §8.4")
struct AndroidKeyTests {
    /// An authorization list (fields in DER) of the software, and one of the hardware.
    struct Lists: Sendable, CustomTestStringConvertible {
        let name: String
        let software: [UInt8]
        let hardware: [UInt8]
        /// Whether it is taken, and whether also where hardware must vouch.
        let isTaken: Bool
        let isTakenFromHardware: Bool
        var testDescription: String { name }

        init(_ name: String, _ software: [UInt8], _ hardware: [UInt8], _ isTaken: Bool, _ fromHardware: Bool) {
            (self.name, self.software, self.hardware) = (name, software, hardware)
            (self.isTaken, isTakenFromHardware) = (isTaken, fromHardware)
        }
    }

    /// `[1] { SET { 2 } }`: for signatures.
    static let sign: [UInt8] = [0xA1, 5, 0x31, 3, 2, 1, 2]
    /// `[1] { SET { 0, 2 } }`: for encryption too.
    static let encrypt: [UInt8] = [0xA1, 8, 0x31, 6, 2, 1, 0, 2, 1, 2]
    /// `[702] { 0 }`: made in the device.
    static let generated: [UInt8] = [0xBF, 0x85, 0x3E, 3, 2, 1, 0]
    /// `[702] { 2 }`: brought from outside.
    static let imported: [UInt8] = [0xBF, 0x85, 0x3E, 3, 2, 1, 2]
    /// `[600] { NULL }`: for every application.
    static let all: [UInt8] = [0xBF, 0x84, 0x58, 2, 5, 0]

    static let cases = [
        Lists("by hardware", [], sign + generated, true, true),
        Lists("by software", sign + generated, [], true, false),
        Lists("by both", sign, generated, true, false),
        Lists("by nobody", [], [], true, false),
        Lists("for every application, says software", all, sign + generated, false, false),
        Lists("for every application, says hardware", [], sign + all + generated, false, false),
        Lists("imported", [], sign + imported, false, false),
        Lists("for encryption too", [], encrypt + generated, false, false),
        Lists("a field twice", [], sign + sign, false, false),
        Lists("a list that is cut off", [], Array(sign.dropLast()), false, false),
    ]

    /// The registration of a phone whose certificate says that.
    private func register(
        _ lists: Lists, hardwareOnly: Bool, challenge: [UInt8]? = nil, key other: P256.Signing.PublicKey? = nil
    ) async throws -> CredentialAttestation {
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.algorithms = [.es256]
        var authenticator = SoftwareAuthenticator(seed: [1], behaviour: behaviour)
        var test = TestAttestation()
        test.policy.androidKeysFromHardwareOnly = hardwareOnly
        let ceremony = try test.ceremony()
        var response = try authenticator.register(
            ceremony.policy.creationOptions(challenge: TestAttestation.challenge, user: .init(id: [1])))
        let data = try AttestationObject(response.attestationObject).authenticatorData
        let hash = Array(SHA256.hash(data: response.clientDataJSON))
        let credential = try #require(authenticator.credentials.first)
        let map = try CBORValue(decoding: credential.key.publicKey.encoded).mapValue
        let point = [4] + (map?[-2]?.bytesValue ?? []) + (map?[-3]?.bytesValue ?? [])
        let sequence = { (content: [UInt8]) in [0x30, UInt8(content.count)] + content }
        let description = sequence(
            [2, 1, 3, 10, 1, 1, 2, 1, 4, 10, 1, 1, 4, 32] + (challenge ?? hash) + [4, 0] + sequence(lists.software)
                + sequence(lists.hardware))
        let root = try TestAuthority()
        let certificate = try root.certify(
            other ?? P256.Signing.PublicKey(x963Representation: point), .init(keyDescription: description))
        response.attestationObject =
            CBORValue.map(
                CBORMap([
                    (.text("fmt"), .text("android-key")), (.text("authData"), .bytes(data.encoded)),
                    (
                        .text("attStmt"),
                        .map(
                            CBORMap([
                                (.text("alg"), .integer(-7)),
                                (.text("sig"), .bytes(try credential.key.signature(for: data.encoded + hash))),
                                (.text("x5c"), .array([.bytes(certificate)])),
                            ]))
                    ),
                ])
            ).encoded
        return try await ceremony.verify(
            response, trust: CertificateTrust(roots: [root.encoded]), at: TestAttestation.now
        ).attestation
    }

    @Test(arguments: cases)
    func `a key is for signatures, made in the device, for one application`(_ lists: Lists) async throws {
        for hardwareOnly in [false, true] {
            let found = await problem { try await register(lists, hardwareOnly: hardwareOnly) }
            let isTaken = hardwareOnly ? lists.isTakenFromHardware : lists.isTaken
            #expect((found == nil) == isTaken, "hardware only: \(hardwareOnly), \(found?.detail ?? "taken")")
            if !isTaken { #expect(found?.step == .registration(22)) }
        }
    }

    @Test func `the certificate is for this key and this ceremony`() async throws {
        let good = Self.cases[0]
        #expect(try await register(good, hardwareOnly: true).isTrusted)
        let late = await problem {
            try await register(good, hardwareOnly: true, challenge: [UInt8](repeating: 0, count: 32))
        }
        #expect(late?.rule == .attestationInvalid)
        let other = P256.Signing.PrivateKey().publicKey
        let stolen = await problem { try await register(good, hardwareOnly: true, key: other) }
        #expect(stolen?.rule == .attestationInvalid)
    }
}
