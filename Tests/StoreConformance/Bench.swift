import KeyturnBase
import Model

/// A new database, and what the checks put into it. Each check has one of its own.
struct Bench: Sendable {
    let database: any TestDatabase
    let now = UnixTime(rawValue: 1_000_000)

    /// What ``TestDatabase/fillDisk()`` has no room for.
    static let bytesThatDoNotFit = 100_000

    init(_ engine: any Engine) async throws {
        database = try await engine.makeDatabase()
    }

    /// The same checks on a database that is there.
    init(on database: any TestDatabase) {
        self.database = database
    }

    /// The stores of the first node.
    var stores: Stores { database.nodes[0].stores }

    /// Runs a body many times at once, spread over the nodes, with a number from 0 that tells the runs apart.
    func race<Result: Sendable>(
        _ count: Int = 100, _ body: @escaping @Sendable (Stores, Int) async throws -> Result
    ) async throws -> [Result] {
        let nodes = database.nodes
        return try await withThrowingTaskGroup(of: Result.self) { group in
            for number in 0..<count {
                let stores = nodes[number % nodes.count].stores
                group.addTask { try await body(stores, number) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Runs two bodies at once, each on a node of its own if there are several.
    func both<First: Sendable, Second: Sendable>(
        _ first: @escaping @Sendable (Stores) async throws -> First,
        _ second: @escaping @Sendable (Stores) async throws -> Second
    ) async throws -> (First, Second) {
        let (one, other) = (database.nodes[0].stores, database.nodes[database.nodes.count - 1].stores)
        async let left = first(one)
        async let right = second(other)
        return try await (left, right)
    }

    /// The code of the error that a body throws; `nil`: it throws none.
    func refusal(_ body: () async throws -> Void) async throws -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    func digest(_ text: String) -> SecretDigest { SecretDigest(of: Secret(text)) }

    func mark(_ text: String) -> ReplayMark { ReplayMark(of: Array(text.utf8), expiresAt: now + 300) }

    func charge(_ key: String, max: Int64 = 1_000, windowSeconds: Int64 = 60) -> RateLimitCharge {
        RateLimitCharge(key, max: max, windowSeconds: windowSeconds)
    }
}
