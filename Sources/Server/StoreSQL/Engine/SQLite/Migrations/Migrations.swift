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
        consoleOperator, auditChange, signalStream, foreignHash,
        consentClaims, signedOutGrants, shadowedSessions, providedRoles, beginnings,
        emailOfUser, phoneOfUser, givenLoginIDs, earlierGivenLoginIDs, formerOrigins,
        signedOutIdentities, setUpByOthers, origins, consentResources,
        unlinkedIdentities, formerMemberships, broughtResources, disputedUsers,
    ]

    /// The number of this release's last step.
    static var newest: Int { all.last?.number ?? 0 }

    /// Brings the schema up to date, one transaction a step.
    ///
    /// Each step reads the version inside its own transaction, which holds the only write lock: if several processes
    /// open an old file at the same time, one takes the step and the others go on with the next.
    ///
    /// - Parameters:
    ///   - migrations: in order; tests give the first few, for a database of an earlier release.
    ///   - onProgress: told of each step of a database that is not new. What it throws ends it there.
    /// - Throws: ``OpenProblem/newer(version:)`` for a database that a later release has changed too much.
    static func apply(
        _ migrations: [Migration] = all, to database: Database, onProgress: (StepProgress) throws -> Void = { _ in }
    ) throws {
        let newest = migrations.last?.number ?? 0
        let isNew = try version(of: database).number == 0
        while true {
            let present = try version(of: database).usable(by: newest)
            guard let next = migrations.first(where: { $0.number > present }) else { return }
            let progress = StepProgress(number: next.number, newest: newest)
            if !isNew { try onProgress(progress) }
            switch next.work {
            case .statements(let sql): try take(next, after: present, database, sql)
            case .index(let name, let columns):
                try take(next, after: present, database, "CREATE INDEX \(name) ON \(columns)")
            case .rows(let change):
                try RowWalk(change, after: present, database).run(progress, onProgress)
                try take(next, after: present, database, nil)
            }
        }
    }

    /// Takes a step, unless another process took it.
    private static func take(_ step: Migration, after present: Int, _ database: Database, _ sql: String?) throws {
        try database.inTransaction(.immediate) {
            let version = try version(of: database)
            guard version.number == present else { return .rollback }
            if let sql { try database.execute(sql: sql) }
            try SchemaVersion(number: step.number, oldest: max(step.oldest, version.oldest)).write(to: database)
            return .commit
        }
    }

    static func version(of database: Database) throws -> SchemaVersion {
        let number = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        return SchemaVersion(number: number, mark: mark)
    }
}

/// A file has the number in its `user_version`, and in its `application_id` the oldest schema whose servers may use it:
/// a K, then 12 bits of the number, and 12 of the oldest one. Where the two numbers differ, as in a file of a release
/// that wrote no such mark, the oldest is the number itself.
extension SchemaVersion {
    private static let letter = 0x4B << 24
    private static let bits = 12

    private var mark: Int { Self.letter | number << Self.bits | oldest }

    fileprivate init(number: Int, mark: Int) {
        let marked = SchemaVersion(number: abs(number), oldest: mark & ((1 << Self.bits) - 1))
        self.init(number: number, oldest: marked.mark == mark ? marked.oldest : abs(number))
    }

    fileprivate func write(to database: Database) throws {
        try database.execute(sql: "PRAGMA user_version = \(number); PRAGMA application_id = \(mark)")
    }
}
