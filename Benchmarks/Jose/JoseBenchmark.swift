import Crypto
import Foundation
import KeyturnBase
import KeyturnJose

/// What signing and checking a typical access token costs beside the bare signature of the crypto library.
///
/// Both are measured in turn, batch by batch, in the same process; the ratio is the median of the batches' ratios, so
/// that a machine that slows down halfway slows down both.
@main
struct JoseBenchmark {
    static let batches = 41
    static let batchSeconds = 0.05

    static func main() throws {
        var rows: [[String: Any]] = []
        for algorithm in [SignatureAlgorithm.es256, .edDSA, .rs256] {
            rows += try measure(algorithm)
        }
        let data = try JSONSerialization.data(withJSONObject: rows, options: [.sortedKeys])
        print(String(decoding: data, as: UTF8.self))
    }

    static func measure(_ algorithm: SignatureAlgorithm) throws -> [[String: Any]] {
        let key = try SigningKey.generate(algorithm)
        let verification = try VerificationKey(key.publicKey, algorithm: algorithm)
        let signer = JWSSigner(key: key, type: "at+jwt")
        let payload = claims()
        let token = try signer.sign(payload)
        let message = Array(token.utf8[..<(token.utf8.lastIndex(of: UInt8(ascii: ".")) ?? token.endIndex)])
        let bare = try BareSignature(algorithm, key)
        let signature = try bare.sign(message)
        let name = algorithm.rawValue.lowercased()
        let signing = try compare({ _ = try signer.sign(claims()) }, { _ = try bare.sign(message) })
        let verifying = try compare(
            { _ = try UnverifiedJWS(token).verify(with: verification).claims() },
            { guard try bare.verify(signature, message) else { fatalError("the signature is good") } })
        return [
            row("jws-sign-\(name)", signing, goal: algorithm == .es256 ? 0.8 : nil),
            row("jws-verify-\(name)", verifying, goal: algorithm == .es256 ? 0.8 : nil),
        ]
    }

    /// Twelve claims, as an access token of ours has them.
    static func claims() -> [UInt8] {
        JSONWriter.object { json in
            json.member("iss", "https://id.example.com" as String)
            json.member("sub", "11111111-1111-4111-8111-111111111111" as String)
            json.member("aud", "https://api.example.com" as String)
            json.member("exp", Int64(1_795_236_699))
            json.member("iat", Int64(1_795_236_099))
            json.member("jti", "01XdPpV7qdz_OTZyFofj9A" as String)
            json.member("client_id", "web" as String)
            json.member("scope", "openid profile email offline_access" as String)
            json.member("auth_time", Int64(1_795_236_000))
            json.member("acr", "urn:keyturn:acr:password" as String)
            json.member("amr", ["pwd"])
            json.member("sid", "9aOZyFofj01XdPpV7qdz_T" as String)
        }
    }

    static func compare(_ ours: () throws -> Void, _ limit: () throws -> Void) throws -> (Double, Double, Double) {
        var rates: [(Double, Double)] = []
        for _ in 0..<batches { rates.append((try rate(ours), try rate(limit))) }
        let ratio = median(rates.map { $0.0 / $0.1 })
        return (median(rates.map(\.0)), median(rates.map(\.1)), ratio)
    }

    /// Operations per second of this thread's processor time.
    static func rate(_ operation: () throws -> Void) rethrows -> Double {
        let start = clock()
        var count = 0
        while Double(clock() - start) / Double(CLOCKS_PER_SEC) < batchSeconds {
            for _ in 0..<20 { try operation() }
            count += 20
        }
        return Double(count) / (Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }

    static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    static func row(_ name: String, _ result: (value: Double, limit: Double, ratio: Double), goal: Double?) -> [String:
        Any]
    {
        [
            "name": name, "value": result.value, "unit": "1/s", "limit": result.limit,
            "limit_name": "bare signature of swift-crypto", "ratio": result.ratio, "goal": goal as Any? ?? NSNull(),
        ]
    }
}
