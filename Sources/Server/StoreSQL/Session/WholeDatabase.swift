/// All rows of a database, over one connection of its own and on the calling thread: what a copy and a comparison need
/// of an engine beyond statements.
protocol WholeDatabase {
    var session: SQLSession { get }
    /// Most parameters of one statement.
    var parametersMax: Int { get }
    /// Servers and commands that are connected beside this one, as far as the engine can tell.
    var otherConnections: Int { get throws }

    /// - Throws: ``OpenProblem``.
    func schema() throws -> SchemaState
    /// Takes the steps of the schema that are missing.
    func makeSchema() throws
    /// Keeps servers from starting, or lets them. Runs in a transaction.
    func setUnfinished(_ isUnfinished: Bool) throws
    /// Every table but the engine's own, in no order.
    func tables() throws -> [String]
    /// - Returns: for each column its type; `nil` for one that no table of ours has.
    func columns(of table: String) throws -> [(name: String, type: SQLType?)]
    /// The expression that gives the bytes of a column of text, whole.
    func bytes(ofText column: String) -> String
    /// Runs `body` in a transaction, which is undone if it throws.
    func transaction(_ body: () throws -> Void) throws
    /// Holds up others that write these tables until the transaction ends; they go on reading.
    func lock(_ tables: [String]) throws
    /// From here on all statements see the same moment, until ``endSnapshot()``.
    func beginSnapshot() throws
    func endSnapshot()
    /// Whether any of the tables changed since the snapshot was taken. Ends the snapshot.
    func hasChanged(_ tables: [String]) throws -> Bool
    /// The last number that a column was given by itself; 0 if none was.
    func lastNumber(of column: String, in table: String) throws -> Int64
    /// The next row gets a higher number than this.
    func setLastNumber(_ number: Int64, of column: String, in table: String) throws
    /// What is to be done when all rows are there, before servers may start.
    func finish() throws
    /// What the engine says, without values of rows; `nil` if the error is not the engine's.
    func reason(of error: any Error) -> String?
}

/// How far the schema of a database is.
enum SchemaState: Hashable, Sendable {
    /// There is none.
    case none
    /// The number of its last step.
    case ready(Int)
    /// The same, of a database with an unfinished copy in it.
    case unfinished(Int)
}

extension WholeDatabase {
    /// For engines that cannot tell.
    var otherConnections: Int { 0 }

    /// For engines with one writer.
    func lock(_ tables: [String]) throws {}

    /// The state for the number that a database has of its schema.
    static func state(_ number: Int, newest: Int) throws -> SchemaState {
        guard abs(number) <= newest else { throw OpenProblem.newer(version: abs(number)) }
        return number == 0 ? .none : number > 0 ? .ready(number) : .unfinished(-number)
    }
}
