import Attestation
import Foundation
import KeyturnBase
import KeyturnWebAuthn
import Testing

/// Where the vectors are: in the folder that `KEYTURN_VECTORS` names, or beside the repository.
enum VectorFile {
    static let url: URL? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["KEYTURN_VECTORS"].map { URL(fileURLWithPath: $0) }
        let file = (named ?? root.appendingPathComponent("../shared/vectors"))
            .appendingPathComponent("webauthn-level3.json")
        return FileManager.default.fileExists(atPath: file.path) ? file : nil
    }()
}

/// The vectors of WebAuthn Level 3 §16 with the root that they come with. Whoever reads this finds the rest of them in
/// KeyturnWebAuthnTests.
@Suite("Vectors of WebAuthn Level 3 §16 and their root", .enabled(if: VectorFile.url != nil))
struct VectorTrustTests {
    /// When the vectors' certificates are valid.
    static let now = UnixTime(rawValue: 1_800_000_000)

    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let ceremony: RegistrationCeremony
        let response: RegistrationResponse
        var testDescription: String { name }
    }

    static let json = VectorFile.url.flatMap { try? Data(contentsOf: $0) }
        .flatMap { try? JSONValue(parsing: $0, limits: .init(bytesMax: 1_048_576, depthMax: 8, membersMax: 64)) }
    static let trust = CertificateTrust(roots: [bytes(json?["attestation_root"]?["attestation_ca_cert"])])

    /// Those that have certificates and an algorithm that is supported.
    static let examples: [Example] = (json?["examples"]?.arrayValue ?? []).compactMap { example in
        let registration = example["registration"]
        let object = bytes(registration?["attestationObject"])
        guard let name = example["name"]?.stringValue, !name.contains("Ed448"),
            (try? AttestationObject(object).statement.mapValue?["x5c"]) != nil,
            let policy = try? WebAuthnPolicy(
                rpID: "example.org", rpName: "Example", origins: ["https://example.org"],
                userVerification: .discouraged, algorithms: COSEAlgorithm.allCases,
                attestation: AttestationPolicy(
                    conveyance: .direct, acceptsNone: false, acceptsSelfSigned: false, acceptsUnknown: false))
        else { return nil }
        return Example(
            name: name,
            ceremony: RegistrationCeremony(
                policy: policy, challenge: bytes(registration?["challenge"]), userHandle: [1]),
            response: RegistrationResponse(
                id: bytes(registration?["credential_id"]), clientDataJSON: bytes(registration?["clientDataJSON"]),
                attestationObject: object))
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8] {
        var result: [UInt8] = []
        var rest = (json?.stringValue ?? "")[...]
        while rest.count >= 2 {
            result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return result
    }

    @Test func `all nine with certificates are there`() {
        #expect(Self.examples.count == 9)
    }

    @Test(arguments: examples)
    func `the certificates lead to the vectors' root`(_ example: Example) async throws {
        let credential = try await example.ceremony.verify(example.response, trust: Self.trust, at: Self.now)
        #expect(credential.attestation.isTrusted)
    }

    @Test(arguments: examples)
    func `no changed bit of a certificate is trusted`(_ example: Example) async throws {
        let object = example.response.attestationObject
        let statement = try AttestationObject(object).statement.mapValue
        let certificate = try #require(statement?["x5c"]?.arrayValue?.first?.bytesValue)
        let start = try #require(
            object.indices.first { object[$0...].starts(with: certificate) })
        for index in start..<(start + certificate.count) {
            var response = example.response
            response.attestationObject[index] ^= 1 << (index % 8)
            let found = await problem {
                try await example.ceremony.verify(response, trust: Self.trust, at: Self.now)
            }
            #expect(found != nil, "byte \(index - start)")
        }
    }
}
