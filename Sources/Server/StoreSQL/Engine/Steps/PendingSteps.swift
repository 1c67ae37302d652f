/// The steps of the schema that a database still has to take, for who wants to know before it takes them.
public struct PendingSteps: Hashable, Sendable {
    /// The number of the last step that was taken; 0 in an empty database.
    public let present: Int
    /// The number of this release's last step.
    public let newest: Int
    /// The steps that are missing.
    public let steps: [Int]
    /// The oldest schema whose servers can go on while the steps are taken, and beside this release's afterwards.
    public let oldestBeside: Int

    /// Whether a newer release has changed the database. This one may go on beside it.
    public var isNewer: Bool { present > newest }

    /// Whether the servers that use the database now can go on.
    public var isRolling: Bool { present >= oldestBeside }

    private init(_ version: SchemaVersion, _ migrations: [Migration]) {
        let missing = migrations.filter { $0.number > version.number }
        present = version.number
        newest = migrations.last?.number ?? 0
        steps = missing.map(\.number)
        oldestBeside = missing.map(\.oldest).max() ?? version.oldest
    }

    /// Those of a file. Changes nothing.
    ///
    /// - Throws: ``OpenProblem``.
    public init(path: String) throws(OpenProblem) {
        self.init(try SQLiteDatabase.schemaVersion(path: path), Migrations.all)
    }

    /// Those of a PostgreSQL database. Changes nothing.
    ///
    /// - Throws: ``OpenProblem``.
    public init(postgreSQL address: String) throws(OpenProblem) {
        do {
            let connection = try PostgreSQLDatabase.patientConnection(address)
            let present = try PostgreSQLMigrations.version(of: connection)
            _ = try present.usable(by: PostgreSQLMigrations.newest)
            self.init(present, PostgreSQLMigrations.all)
        } catch let problem as OpenProblem {
            throw problem
        } catch {
            throw .postgreSQL(PostgreSQLDatabase.reason(error))
        }
    }
}
