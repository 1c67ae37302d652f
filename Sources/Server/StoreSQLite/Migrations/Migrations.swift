internal import GRDB

/// One step of the schema, with its number in the database's `user_version`.
struct Migration: Sendable {
    let number: Int
    let sql: String
}

/// Every migration, in order.
enum Migrations {
    static let all = [
        groundFloor, boundGrants, users, proofs, messages, sessionOrigins, epochs, passkeys, clientPrivileges,
        pushedRequests, devices, revision, consentOfClients, dataKeys, biometrics,
    ]

    /// Brings the schema up to date, one transaction a step.
    ///
    /// - Throws: ``OpenProblem/newer(version:)`` for a database that a later release has already changed.
    static func apply(to database: Database) throws {
        let present = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard present <= (all.map(\.number).max() ?? 0) else { throw OpenProblem.newer(version: present) }
        for migration in all where migration.number > present {
            try database.inTransaction(.immediate) {
                try database.execute(sql: migration.sql)
                try database.execute(sql: "PRAGMA user_version = \(migration.number)")
                return .commit
            }
        }
    }
}
