internal import Foundation
package import KeyturnBase

/// Where a database is that is copied or compared.
package enum DatabaseSide: Sendable {
    /// A file of SQLite, by path.
    case sqlite(path: String)
    /// A database of PostgreSQL, by an address that libpq reads.
    case postgreSQL(Secret)

    /// Runs `body` on the database, which is not changed.
    func read<Value>(_ side: CopyProblem.Side, _ body: (any WholeDatabase) throws -> Value) throws -> Value {
        try Self.opening(side) {
            switch self {
            case .sqlite(let path): try SQLiteWholeDatabase.read(path, body)
            case .postgreSQL(let address): try body(PostgreSQLWholeDatabase(address.exposed(), isWritten: false))
            }
        }
    }

    /// The same for a database that is written. A file that is not there is made.
    func write<Value>(_ side: CopyProblem.Side, _ body: (any WholeDatabase) throws -> Value) throws -> Value {
        try Self.opening(side) {
            switch self {
            case .sqlite(let path): try SQLiteWholeDatabase.write(path, body)
            case .postgreSQL(let address): try body(PostgreSQLWholeDatabase(address.exposed(), isWritten: true))
            }
        }
    }

    private static func opening<Value>(_ side: CopyProblem.Side, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as OpenProblem {
            throw CopyProblem.notOpened(side, problem)
        }
    }

    /// Whether both are the same file.
    func isSameFile(as other: DatabaseSide) -> Bool {
        guard case .sqlite(let path) = self, case .sqlite(let otherPath) = other else { return false }
        let urls = [path, otherPath].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().standardizedFileURL }
        return urls[0] == urls[1]
    }
}

extension WholeDatabase {
    /// Runs `body`, with the engine's errors put into words.
    func answering<Value>(for side: CopyProblem.Side, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as OpenProblem {
            throw CopyProblem.notOpened(side, problem)
        } catch {
            guard let reason = reason(of: error) else { throw error }
            throw CopyProblem.engine(side, reason)
        }
    }

    /// Checks that this is a server's database, with the schema of this release and no unfinished copy in it.
    func requireServers(_ side: CopyProblem.Side) throws {
        let newest = Migrations.newest
        switch try answering(for: side, { try schema() }) {
        case .none: throw CopyProblem.noSchema(side)
        case .unfinished: throw CopyProblem.unfinished(side)
        case .ready(newest): break
        case .ready(let version): throw CopyProblem.otherSchema(side, version: version, newest: newest)
        }
        try answering(for: side) { try requireKnownTables() }
    }

    /// Checks that the tables are those of the list: one that is missing there would be lost.
    func requireKnownTables() throws {
        let known = Set(CopiedTable.all.map(\.name)).union([CopyJournal.table])
        let present = Set(try tables())
        let strange = present.subtracting(known).union(known.subtracting(present).subtracting([CopyJournal.table]))
        if let name = strange.min() { throw CopyProblem.unknownTable(name) }
    }

    /// How many rows a table has.
    func count(of shape: RowShape) throws -> Int {
        try session.first("SELECT count(*) AS number FROM \(shape.quotedName)", [])?["number"] ?? 0
    }
}
