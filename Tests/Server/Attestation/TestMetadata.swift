import Crypto
import Foundation
import KeyturnBase
import KeyturnWebAuthn

/// A metadata service, made anew for each test.
struct TestMetadata {
    let root: TestAuthority
    let signer = P256.Signing.PrivateKey()
    let certificates: [[UInt8]]

    init() throws {
        root = try TestAuthority("Metadata Root")
        let middle = try TestAuthority("Metadata Middle", below: root)
        certificates = [try middle.certify(signer.publicKey, .init(serial: [7, 7])), middle.encoded]
    }

    /// A blob with one entry for the test's model.
    static func payload(
        roots: [[UInt8]], number: Int64 = 5, nextUpdate: String = "2027-02-01",
        reports: [JSONValue] = [["status": "FIDO_CERTIFIED", "effectiveDate": "2020-01-01"]],
        keyIdentifiers: [String] = []
    ) -> JSONValue {
        var entry: [String: JSONValue] = [
            "metadataStatement": [
                "description": "Test Authenticator",
                "attestationRootCertificates": .array(roots.map { .string(Data($0).base64EncodedString()) }),
            ],
            "statusReports": .array(reports),
        ]
        if keyIdentifiers.isEmpty {
            entry["aaguid"] = .string(TestAttestation.model.description)
        } else {
            entry["attestationCertificateKeyIdentifiers"] = .array(keyIdentifiers.map(JSONValue.string))
        }
        return [
            "legalHeader": "for tests", "no": .integer(number), "nextUpdate": .string(nextUpdate),
            "entries": [.object(entry), ["aaid": "1234#5678", "statusReports": []]],
        ]
    }

    /// The blob as it is fetched.
    func blob(
        _ payload: JSONValue, algorithm: String = "ES256", certificates: [[UInt8]]? = nil, extra: String? = nil
    ) throws -> [UInt8] {
        var header: [String: JSONValue] = [
            "alg": .string(algorithm), "typ": "JWT",
            "x5c": .array((certificates ?? self.certificates).map { .string(Data($0).base64EncodedString()) }),
        ]
        if let extra { header[extra] = ["exp"] }
        let input = Base64URL.encode(JSONValue.object(header).serialized) + "." + Base64URL.encode(payload.serialized)
        let signature = try signer.signature(for: Array(input.utf8)).rawRepresentation
        return Array("\(input).\(Base64URL.encode(Array(signature)))\n".utf8)
    }
}
