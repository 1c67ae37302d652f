import Crypto
import Foundation
import KeyturnAuthenticator
import KeyturnBase
import KeyturnJose
import KeyturnWebAuthn

/// Assertions judged per second of a processor, from JSON to verdict, beside the one signature check that each needs. Both
/// are measured in turn, batch by batch; the ratio is the median of the batches' ratios.
enum AssertionRate {
    private static let batches = 41
    private static let batchSeconds = 0.05

    static func rows() throws -> [[String: Any]] {
        let policy = try WebAuthnPolicy(rpID: "example.com", rpName: "Example", origins: ["https://example.com"])
        var behaviour = SoftwareAuthenticator.Behaviour()
        behaviour.algorithms = [.es256]
        behaviour.counterStep = 0
        var device = SoftwareAuthenticator(seed: [1], behaviour: behaviour)
        let challenge = [UInt8](repeating: 7, count: 117)
        let creation = policy.creationOptions(challenge: challenge, user: .init(id: [1], name: "a", displayName: "a"))
        let record = try RegistrationCeremony(policy: policy, challenge: challenge, userHandle: [1])
            .verify(device.register(creation)).record
        let response = try device.authenticate(policy.requestOptions(challenge: challenge))
        let body = response.json.serialized
        let ceremony = AuthenticationCeremony(policy: policy, challenge: challenge, subject: .anybody)

        let members = try COSEKey(record.publicKey).jsonWebKey.json
        let point = ["x", "y"].flatMap { members[$0]?.stringValue.flatMap { Base64URL.decode($0) } ?? [] }
        let key = try P256.Signing.PublicKey(rawRepresentation: point)
        let signature = try P256.Signing.ECDSASignature(derRepresentation: response.signature)
        let signed = response.authenticatorData + Array(SHA256.hash(data: response.clientDataJSON))
        var rates: [(ours: Double, limit: Double)] = []
        for _ in 0..<batches {
            rates.append(
                (
                    try rate {
                        let answer = try AuthenticationResponse(json: try JSONValue(parsing: body))
                        _ = try ceremony.verify(answer, record: record)
                    },
                    try rate {
                        guard key.isValidSignature(signature, for: signed) else { throw CocoaError(.coderInvalidValue) }
                    }
                ))
        }
        return [
            [
                "name": "passkey-assertion", "value": median(rates.map(\.ours)), "unit": "1/s",
                "limit": median(rates.map(\.limit)), "limit_name": "bare ES256 check of swift-crypto",
                "ratio": median(rates.map { $0.ours / $0.limit }), "goal": 0.7,
            ]
        ]
    }

    /// Operations per second of this thread's processor time.
    private static func rate(_ operation: () throws -> Void) rethrows -> Double {
        let start = clock()
        var count = 0
        while Double(clock() - start) / Double(CLOCKS_PER_SEC) < batchSeconds {
            for _ in 0..<20 { try operation() }
            count += 20
        }
        return Double(count) / (Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }
}
