import Model
import Testing

/// An engine whose stores break one promise: what the suite must notice.
struct FaultyEngine: Engine {
    let base: any Engine
    let plant: @Sendable (Stores) -> Stores

    var isDurable: Bool { base.isDurable }
    var isFillable: Bool { base.isFillable }
    var testDescription: String { "\(base) with a fault" }

    func makeDatabase() async throws -> any TestDatabase {
        FaultyDatabase(base: try await base.makeDatabase(), plant: plant)
    }
}

/// A database with the fault on each of its nodes.
private struct FaultyDatabase: TestDatabase {
    let base: any TestDatabase
    let plant: @Sendable (Stores) -> Stores
    let nodes: [Node]

    init(base: any TestDatabase, plant: @escaping @Sendable (Stores) -> Stores) {
        self.base = base
        self.plant = plant
        nodes = base.nodes.map { Node(stores: plant($0.stores), imports: $0.imports) }
    }

    func afterKill() async throws -> any TestDatabase { FaultyDatabase(base: try await base.afterKill(), plant: plant) }

    func fillDisk() async throws { try await base.fillDisk() }

    func freeDisk() async throws { try await base.freeDisk() }
}

/// One fault, and the check that finds it.
struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let plant: @Sendable (Stores) -> Stores
    let check: @Sendable (any Engine) async throws -> Void
    let engine: any Engine

    init(
        _ description: String, on engine: any Engine = Engines.all[0], plant: @escaping @Sendable (Stores) -> Stores,
        check: @escaping @Sendable (any Engine) async throws -> Void
    ) {
        testDescription = description
        self.engine = engine
        self.plant = plant
        self.check = check
    }

    static let all = grants + devices + limits + passkeys + messages + users + durability + locks

    /// Between a look and what is done about it: other tasks look, too, however busy the machine is.
    static func pause() async {
        for _ in 0..<20 {
            try? await Task.sleep(for: .milliseconds(1))
            for _ in 0..<10 { await Task.yield() }
        }
    }
}

@Suite("Store: planted faults")
struct FaultTests {
    @Test(arguments: Fault.all)
    func `the suite finds it`(_ fault: Fault) async {
        await withKnownIssue {
            try await fault.check(FaultyEngine(base: fault.engine, plant: fault.plant))
        }
    }
}
