import Model
import Testing

/// A database engine, as the suite uses it.
///
/// To run the suite on another engine, write a file in `Engines` with a type that conforms, and add it to ``Engines``.
protocol Engine: Sendable, CustomTestStringConvertible {
    /// Whether a database survives the end of the process that wrote it.
    var isDurable: Bool { get }

    /// Whether ``TestDatabase/fillDisk()`` works here.
    var isFillable: Bool { get }

    /// Makes a new, empty database.
    func makeDatabase() async throws -> any TestDatabase
}

/// One database of an engine. It is removed when the last reference to it goes.
protocol TestDatabase: Sendable {
    /// The server processes that share the database, at least one. Races are spread over all of them.
    var nodes: [Node] { get }

    /// The database as another process finds it if every process that uses it is killed at this moment. This one stays
    /// usable.
    func afterKill() async throws -> any TestDatabase

    /// From now on every write of at least ``Bench/bytesThatDoNotFit`` bytes fails with `full`, on each node.
    func fillDisk() async throws

    /// From now on writes work again.
    func freeDisk() async throws
}

/// One server process on a database.
struct Node: Sendable {
    var stores: Stores
    var imports: any UserImportStore
}
