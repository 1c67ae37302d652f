import Crypto
import Foundation
import Keyturn
import KeyturnBase
import KeyturnJose
import KeyturnVerify
import Synchronization

/// What asking for a token at hand costs beside a bare read under a lock, and what checking one costs beside the bare
/// signature. Ours and the limit are measured in turn, round by round; the ratio is the median of the rounds' ratios.
@main
struct SessionBenchmark {
    static let rounds = 15
    static let calls = 400_000

    static func main() async throws {
        let service = try BenchmarkService()
        let auth = Keyturn(
            .openID(issuer: BenchmarkService.issuer, clientID: "bench"), storage: .memory, browser: service,
            transport: service)
        try await auth.authorize(redirectURI: "app://callback")
        var rows: [[String: Any]] = []
        for tasks in [1, 64] { rows.append(try await tokenRow(auth, tasks)) }
        rows.append(try await mainActorRow(auth))
        if let row = try await allocationRow(auth) { rows.append(row) }
        rows += try await verifyRows(service)
        let data = try JSONSerialization.data(withJSONObject: rows, options: [.sortedKeys])
        print(String(decoding: data, as: UTF8.self))
    }

    private static func tokenRow(_ auth: Keyturn, _ tasks: Int) async throws -> [String: Any] {
        let bare = Mutex(try await auth.accessToken())
        var pairs: [(Double, Double)] = []
        for _ in 0..<rounds {
            let ours = try await nanoseconds(tasks) { count in
                for _ in 0..<count { blackHole(try await auth.accessToken()) }
            }
            let limit = try await nanoseconds(tasks) { count in
                for _ in 0..<count { blackHole(bare.withLock { $0 }) }
            }
            pairs.append((ours, limit))
        }
        return row(
            "access-token-cached" + (tasks == 1 ? "" : "-\(tasks)-tasks"), pairs, "ns", "a string read under a lock",
            goal: 1.5)
    }

    @MainActor
    private static func mainActorRow(_ auth: Keyturn) async throws -> [String: Any] {
        let bare = Mutex(try await auth.accessToken())
        var pairs: [(Double, Double)] = []
        for _ in 0..<rounds {
            var clock = ContinuousClock.now
            for _ in 0..<calls { blackHole(try await auth.accessToken()) }
            let ours = perCall(ContinuousClock.now - clock, calls)
            clock = .now
            for _ in 0..<calls { blackHole(bare.withLock { $0 }) }
            pairs.append((ours, perCall(ContinuousClock.now - clock, calls)))
        }
        return row("access-token-cached-main-actor", pairs, "ns", "a string read under a lock", goal: 1.5)
    }

    /// Counted by a library that was loaded before; nothing without it.
    private static func allocationRow(_ auth: Keyturn) async throws -> [String: Any]? {
        guard let symbol = dlsym(nil, "keyturn_allocation_count") else { return nil }
        let count = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
        _ = try await auth.accessToken()
        // One call in a second looks at the store, and allocates; the least of many short runs shows the others.
        var least = Int.max
        for _ in 0..<100 {
            let before = count()
            for _ in 0..<1_000 { blackHole(try await auth.accessToken()) }
            least = min(least, count() - before)
        }
        return [
            "name": "access-token-cached-allocations", "value": Double(least) / 1_000, "unit": "/call", "limit": 0,
            "limit_name": "nothing", "ratio": Double(least), "goal": 0,
        ]
    }

    private static func verifyRows(_ service: BenchmarkService) async throws -> [[String: Any]] {
        let token = service.accessToken()
        let verifier = TokenVerifier(
            issuer: BenchmarkService.issuer, audience: BenchmarkService.audience,
            keys: KeySet(jwksURI: BenchmarkService.issuer + "/jwks", transport: service))
        let caching = CachingTokenVerifier(verifier)
        let key = try P256.Signing.PrivateKey(derRepresentation: service.key.pkcs8DER)
        let message = Array(token.utf8.prefix { $0 != 0 })
        let signature = try key.signature(for: message)
        let now = Ambient.live.now()
        var (whole, cached): ([(Double, Double)], [(Double, Double)]) = ([], [])
        for _ in 0..<rounds {
            let ours = try await nanoseconds(1, calls: 4_000) { count in
                for _ in 0..<count { blackHole(try await verifier.verify(token, at: now).subject) }
            }
            let bare = try await nanoseconds(1, calls: 4_000) { count in
                for _ in 0..<count { precondition(key.publicKey.isValidSignature(signature, for: message)) }
            }
            let repeated = try await nanoseconds(1, calls: 200_000) { count in
                for _ in 0..<count { blackHole(try await caching.verify(token, at: now).subject) }
            }
            whole.append((1e9 / ours, 1e9 / bare))
            cached.append((1e9 / repeated, 500_000))
        }
        return [
            row("verify-token", whole, "1/s", "bare signature of swift-crypto", goal: 0.8),
            row("verify-token-cached", cached, "1/s", "goal, one core", goal: 1),
        ]
    }

    /// Wall nanoseconds a call, `tasks` at once.
    private static func nanoseconds(
        _ tasks: Int, calls: Int = calls, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks { group.addTask { try await body(calls / tasks) } }
            try await group.waitForAll()
        }
        return perCall(ContinuousClock.now - start, calls)
    }

    private static func perCall(_ duration: Duration, _ count: Int) -> Double {
        let (seconds, attoseconds) = duration.components
        return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
    }

    private static func row(
        _ name: String, _ pairs: [(Double, Double)], _ unit: String, _ limit: String, goal: Double
    ) -> [String: Any] {
        let median = { (values: [Double]) in values.sorted()[values.count / 2] }
        return [
            "name": name, "value": median(pairs.map(\.0)), "unit": unit, "limit": median(pairs.map(\.1)),
            "limit_name": limit, "ratio": median(pairs.map { $0.0 / $0.1 }), "goal": goal,
        ]
    }
}

/// What the optimiser must not take away.
@inline(never)
func blackHole(_ text: String) {}
