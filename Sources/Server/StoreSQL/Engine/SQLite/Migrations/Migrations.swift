internal import GRDB

/// Every migration, in order.
enum Migrations {
    static let all = [
        groundFloor, boundGrants, users, proofs, messages, sessionOrigins, epochs, passkeys, clientPrivileges,
        pushedRequests, devices, revision, consentOfClients, dataKeys, biometrics,
        refreshRepetitions, administration, logoutNotices, appsOfVendors, recoveries,
        connections, provisioning, providerTokens, providerNames, organisations, appSessions, backchannel, acceptances,
        risks,
        anonymousUsers,
        appKeys,
        approvals,
        approvingApps,
        signInHistory,
        nodes,
        auditChain,
        consoleOperator,
    ]

    /// Brings the schema up to date, one transaction a step.
    ///
    /// Each step reads the version inside its own transaction, which holds the only write lock: if several processes
    /// open an old file at the same time, one takes the step and the others go on with the next.
    ///
    /// - Parameter migrations: in order; tests give the first few, for a database of an earlier release.
    /// - Throws: ``OpenProblem/newer(version:)`` for a database that a later release has already changed.
    static func apply(_ migrations: [Migration] = all, to database: Database) throws {
        let newest = migrations.last?.number ?? 0
        var present = try version(of: database, newest)
        while present < newest {
            try database.inTransaction(.immediate) {
                present = try version(of: database, newest)
                guard let next = migrations.first(where: { $0.number > present }) else { return .rollback }
                try database.execute(sql: next.sql)
                try database.execute(sql: "PRAGMA user_version = \(next.number)")
                present = next.number
                return .commit
            }
        }
    }

    /// The number of the last step that was taken.
    ///
    /// - Throws: ``OpenProblem/newer(version:)``; ``OpenProblem/unfinishedCopy`` if it is negative.
    static func version(of database: Database, _ newest: Int = all.last?.number ?? 0) throws -> Int {
        let present = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard present >= 0 else { throw OpenProblem.unfinishedCopy }
        guard present <= newest else { throw OpenProblem.newer(version: present) }
        return present
    }
}
