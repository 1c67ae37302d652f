internal import Foundation
internal import Model

/// An index on a table that others write meanwhile. PostgreSQL builds it outside of any transaction, in two passes, and
/// waits for those that are older.
struct IndexBuilding {
    let name: String
    /// The table with its columns.
    let columns: String
    let connection: PostgreSQLConnection

    /// A lock of the session, which a server that dies gives back. None waits for it inside of a statement: the
    /// building would wait for that statement.
    private static let lock = SQLLock.number(of: "schema index")
    private static let askSeconds = 0.2

    /// Returns when the index is there. One that was left half built is built anew.
    ///
    /// - Throws: ``PostgreSQLProblem``.
    func run() throws {
        let session = SQLSession(connection)
        while try session.first("SELECT pg_try_advisory_lock(?) AS mine", [Self.lock])?["mine"] != true {
            Thread.sleep(forTimeInterval: Self.askSeconds)
        }
        defer { _ = try? session.first("SELECT pg_advisory_unlock(?)", [Self.lock]) }
        let found = """
            SELECT i.indisvalid AS whole FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ?
            """
        switch try session.first(found, [name])?["whole"] as Bool? {
        case true?: return
        case false?: try connection.script("DROP INDEX CONCURRENTLY \(name)")
        case nil: break
        }
        try connection.script("CREATE INDEX CONCURRENTLY \(name) ON \(columns)")
    }
}
