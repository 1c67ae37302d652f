package import Model

/// Looks at a file of SQLite that no server uses, and changes nothing.
package enum DatabaseInspection {
    /// Checks the structure of every page and index, and that each row that another one names is there.
    ///
    /// - Returns: its schema, which may be an older release's, and how many rows it has.
    /// - Throws: ``BackupProblem``.
    package static func check(_ path: String) throws -> BackupContents {
        try BackupProblem.translating {
            try SQLiteWholeDatabase.read(path) { database in
                let faults = try database.faults()
                guard faults.isEmpty else { throw BackupProblem.damaged(faults) }
                return try contents(of: database)
            }
        }
    }

    /// The same without the checks.
    ///
    /// - Throws: ``BackupProblem``.
    package static func count(_ path: String) throws -> BackupContents {
        try BackupProblem.translating { try SQLiteWholeDatabase.read(path, contents) }
    }

    /// The signing keys, for who wants to know whether their secrets are there.
    ///
    /// - Throws: ``BackupProblem``.
    package static func signingKeys(in path: String) throws -> [StoredKey] {
        try BackupProblem.translating {
            try SQLiteWholeDatabase.read(path) { try SQLKeyStore.keys(in: $0.session) }
        }
    }

    /// Whether this release can write the file without changing its schema.
    package static func isUpToDate(_ contents: BackupContents) -> Bool { contents.schema >= Migrations.newest }

    /// Runs `body` while nothing else has the file open, with its log moved into it.
    ///
    /// - Throws: ``BackupProblem/inUse``, others of them, and what `body` throws.
    package static func alone(with path: String, _ body: () throws -> Void) throws {
        try BackupProblem.translating { try SQLiteWholeDatabase.alone(with: path, body) }
    }

    /// Makes a file one that needs no log beside it.
    ///
    /// - Throws: ``BackupProblem``.
    package static func turnOffLog(of path: String) throws {
        try BackupProblem.translating { try SQLiteWholeDatabase.turnOffLog(path) }
    }

    private static func contents(of database: SQLiteWholeDatabase) throws -> BackupContents {
        guard case .ready(let schema) = try database.schemaOfFile() else {
            throw try database.schemaOfFile() == .none ? BackupProblem.noSchema : BackupProblem.unfinishedCopy
        }
        let names = try database.tables()
        let counts = try names.map { name in
            try database.session.first("SELECT count(*) AS number FROM \"\(name)\"", [])?["number"] ?? 0
        }
        return BackupContents(schema: schema, tables: Dictionary(zip(names, counts)) { first, _ in first })
    }
}
