import Model
import StoreValues

/// The stores as values in memory, which have no disk.
struct ValuesEngine: Engine {
    let isDurable = false
    let isFillable = false
    var testDescription: String { "values" }

    func makeDatabase() async throws -> any TestDatabase { ValuesTestDatabase() }
}

/// One database of two nodes.
final class ValuesTestDatabase: TestDatabase {
    let nodes: [Node]

    init() {
        let database = ValueDatabase()
        nodes = (0..<2).map { _ in Node(stores: database.stores(), imports: UnusedUserImportStore()) }
    }

    /// Nothing outlives the process: no check of a durable engine runs here.
    func afterKill() async throws -> any TestDatabase { self }

    func fillDisk() async throws { throw StoreError(.unavailable) }

    func freeDisk() async throws { throw StoreError(.unavailable) }
}
