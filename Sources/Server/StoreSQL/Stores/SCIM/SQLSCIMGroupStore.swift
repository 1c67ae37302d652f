internal import Authority
internal import KeyturnBase
internal import Model

/// Provisioned groups.
struct SQLSCIMGroupStore: SCIMGroupStore {
    let database: any SQLDatabase

    func createGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, _ content: SCIMContent,
        members: [String], at now: UnixTime
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        let tenant = try permission.grounds.requireTenant()
        return try await change(in: tenant) { db in
            try SQLUserStore.requireTenant(tenant, db)
            _ = try SCIMColumns.insert(
                id, .group, in: tenant, content, user: nil, madeUser: false, db, at: now)
            let record = try Self.required(id, in: tenant, db)
            try Self.run(.add(members), on: record, db)
            return record
        }
    }

    func changeGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, at now: UnixTime,
        _ rule: @escaping SCIMGroupRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        let tenant = try permission.grounds.requireTenant()
        return try await change(in: tenant) { db in
            let record = try Self.required(id, in: tenant, db)
            let change: SCIMGroupChange
            switch rule(record) {
            case .failure(let problem): throw problem
            case .success(let allowed): change = allowed
            }
            var isChanged = change.content != nil
            for step in change.members where try Self.run(step, on: record, db) { isChanged = true }
            if let content = change.content {
                try SCIMColumns.replace(record, content, db, at: now)
            } else if isChanged {
                try db.run(
                    "UPDATE scim_resource SET version = version + 1, updated_at = ? WHERE number = ?",
                    [now.rawValue, record.number])
            }
            return isChanged ? try Self.required(id, in: tenant, db) : record
        }
    }

    func deleteGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, version: Int64?, at now: UnixTime
    ) async throws(StoreError) -> SCIMDeletion {
        let tenant = try permission.grounds.requireTenant()
        return try await database.write(.locking([.name(SQLSCIMUserStore.lock(tenant))])) { db in
            guard let record = try SCIMColumns.find(id, .group, in: tenant, db) else { return .missing }
            if let version, version != record.version { return .changed }
            try Self.run(.replace([]), on: record, db)
            try db.run("DELETE FROM scim_resource WHERE number = ?", [record.number])
            return .deleted(account: nil, isAccountRemoved: false)
        }
    }

    func map(
        _ id: String, to role: String?, by permission: borrowing Allowed<Acts.ChangeTenants>, at now: UnixTime
    ) async throws(StoreError) {
        let tenant = try permission.grounds.requireTenant()
        try await database.write(.locking([.name(SQLSCIMUserStore.lock(tenant))])) { db in
            let record = try Self.required(id, in: tenant, db)
            if let role {
                guard try db.first("SELECT 1 FROM role WHERE id = ? AND tenant_id = ?", [role, tenant]) != nil else {
                    throw StoreError(.missing)
                }
            }
            guard role != record.roleID else { return }
            try db.run(
                "UPDATE scim_resource SET role_id = ?, updated_at = ? WHERE number = ?",
                [role, now.rawValue, record.number])
            for (number, user) in try Self.members(of: record, db) {
                if let before = record.roleID {
                    try SCIMMembership.take(before, from: user, number, in: tenant, db)
                }
                if let role { try SCIMMembership.give(role, to: user, in: tenant, db) }
            }
        }
    }

    /// A transaction that a refusal rolls back.
    private func change(
        in tenant: String, _ body: @escaping @Sendable (SQLSession) throws -> SCIMRecord
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        do throws(StoreError) {
            return .success(
                try await database.write(.locking([.name(SQLSCIMUserStore.lock(tenant))])) { db in
                    do {
                        return try body(db)
                    } catch let problem as SCIMProblem {
                        throw StoreError(.conflict, cause: problem)
                    }
                })
        } catch {
            guard let problem = error.cause as? SCIMProblem else { throw error }
            return .failure(problem)
        }
    }
}

extension SQLSCIMGroupStore {
    private static func required(_ id: String, in tenant: String, _ db: SQLSession) throws -> SCIMRecord {
        guard let record = try SCIMColumns.find(id, .group, in: tenant, db) else { throw StoreError(.missing) }
        return record
    }

    private static func members(of record: SCIMRecord, _ db: SQLSession) throws -> [(number: Int64, user: UserID)] {
        try db.all(
            """
            SELECT u.number, u.user_id FROM scim_member m, scim_resource u
            WHERE m.group_number = ? AND u.number = m.user_number ORDER BY u.number
            """, [record.number]
        ).map { ($0["number"], UserID(rawValue: $0["user_id"])) }
    }

    /// - Returns: whether a member came or went.
    /// - Throws: ``SCIMProblem`` for a member that is no user of the tenant, and for too many.
    @discardableResult
    private static func run(_ step: SCIMGroupChange.Members, on group: SCIMRecord, _ db: SQLSession) throws -> Bool {
        var isChanged = false
        switch step {
        case .add(let ids):
            for id in ids {
                let user = try found(id, in: group.tenantID, db)
                if try add(user, to: group, db) { isChanged = true }
            }
            try checkSize(of: group, db)
        case .remove(let ids):
            for id in ids {
                guard let user = try SCIMColumns.find(id, .user, in: group.tenantID, db) else { continue }
                if try remove(user.number, user.userID, from: group, db) { isChanged = true }
            }
        case .replace(let ids):
            let wanted = try ids.map { try found($0, in: group.tenantID, db) }
            let numbers = Set(wanted.map(\.number))
            for (number, user) in try members(of: group, db) where !numbers.contains(number) {
                if try remove(number, user, from: group, db) { isChanged = true }
            }
            for user in wanted where try add(user, to: group, db) { isChanged = true }
            try checkSize(of: group, db)
        }
        return isChanged
    }

    private static func found(_ id: String, in tenant: String, _ db: SQLSession) throws -> SCIMRecord {
        guard let user = try SCIMColumns.find(id, .user, in: tenant, db) else { throw SCIMProblem.unknownMember }
        return user
    }

    private static func add(_ user: SCIMRecord, to group: SCIMRecord, _ db: SQLSession) throws -> Bool {
        let added = try db.run(
            "INSERT INTO scim_member (group_number, user_number) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [group.number, user.number])
        if added == 1, let role = group.roleID, let id = user.userID {
            try SCIMMembership.give(role, to: id, in: group.tenantID, db)
        }
        return added == 1
    }

    private static func remove(_ number: Int64, _ user: UserID?, from group: SCIMRecord, _ db: SQLSession) throws
        -> Bool
    {
        let removed = try db.run(
            "DELETE FROM scim_member WHERE group_number = ? AND user_number = ?", [group.number, number])
        if removed == 1, let role = group.roleID, let user {
            try SCIMMembership.take(role, from: user, number, in: group.tenantID, db)
        }
        return removed == 1
    }

    private static func checkSize(of group: SCIMRecord, _ db: SQLSession) throws {
        let count: Int? = try db.first(
            "SELECT count(*) AS n FROM scim_member WHERE group_number = ?", [group.number])?["n"]
        guard count ?? 0 <= Limits.scimGroupMembersMax else { throw SCIMProblem.tooManyMembers }
    }
}
