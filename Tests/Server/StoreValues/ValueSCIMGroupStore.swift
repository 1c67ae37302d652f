internal import Authority
internal import KeyturnBase
internal import Model

/// Provisioned groups.
struct ValueSCIMGroupStore: SCIMGroupStore {
    let database: ValueDatabase

    func createGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, _ content: SCIMContent,
        members: [String], at now: UnixTime
    ) throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        let tenant = try permission.grounds.requireTenant()
        return try change { world in
            try world.requireTenant(tenant)
            let number = try world.insert(id, .group, in: tenant, content, user: nil, madeUser: false, at: now)
            let group = try world.group(id, in: tenant)
            _ = try world.run(.add(members), on: group)
            return (world.resources[number] ?? group).record
        }
    }

    func changeGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, at now: UnixTime,
        _ rule: @escaping SCIMGroupRule
    ) throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        let tenant = try permission.grounds.requireTenant()
        return try change { world in
            let group = try world.group(id, in: tenant)
            let change = try rule(group.record).get()
            var isChanged = change.content != nil
            for step in change.members where try world.run(step, on: group) { isChanged = true }
            if isChanged { try world.replace(group, change.content ?? group.content, at: now) }
            return try world.group(id, in: tenant).record
        }
    }

    func deleteGroup(
        _ id: String, by permission: borrowing Allowed<Acts.Provision>, version: Int64?, at now: UnixTime
    ) throws(StoreError) -> SCIMDeletion {
        let tenant = try permission.grounds.requireTenant()
        return try database.write { world in
            guard let group = world.resource(id, .group, in: tenant) else { return .missing }
            if let version, version != group.version { return .changed }
            _ = try world.run(.replace([]), on: group)
            world.removeResource(group.number)
            return .deleted(account: nil, isAccountRemoved: false)
        }
    }

    func map(
        _ id: String, to role: String?, by permission: borrowing Allowed<Acts.ChangeTenants>, at now: UnixTime
    ) throws(StoreError) {
        let tenant = try permission.grounds.requireTenant()
        try database.write { world in
            let group = try world.group(id, in: tenant)
            if let role, world.roles[role]?.tenantID != tenant { throw StoreError(.missing) }
            guard role != group.roleID else { return }
            world.resources[group.number]?.roleID = role
            world.resources[group.number]?.updatedAt = now
            for row in world.users(ofGroup: group.number) {
                guard let user = row.userID else { continue }
                if let before = group.roleID { world.take(before, from: user, row.number, in: tenant) }
                if let role { world.give(role, to: user, in: tenant) }
            }
        }
    }

    /// A transaction that a refusal rolls back.
    private func change(_ body: (inout StoreWorld) throws -> SCIMRecord) throws(StoreError)
        -> Result<SCIMRecord, SCIMProblem>
    {
        do throws(StoreError) {
            return .success(try database.write(body))
        } catch {
            guard let problem = error.cause as? SCIMProblem else { throw error }
            return .failure(problem)
        }
    }
}

extension StoreWorld {
    fileprivate func group(_ id: String, in tenant: String) throws(StoreError) -> ResourceRow {
        guard let row = resource(id, .group, in: tenant) else { throw StoreError(.missing) }
        return row
    }

    /// - Returns: whether a member came or went.
    /// - Throws: ``SCIMProblem`` for a member that is no user of the tenant, and for too many.
    fileprivate mutating func run(_ step: SCIMGroupChange.Members, on group: ResourceRow) throws(SCIMProblem) -> Bool {
        var isChanged = false
        switch step {
        case .add(let ids):
            for id in ids where add(try member(id, of: group), to: group) { isChanged = true }
        case .remove(let ids):
            for id in ids {
                guard let user = resource(id, .user, in: group.tenantID) else { continue }
                if remove(user, from: group) { isChanged = true }
            }
            return isChanged
        case .replace(let ids):
            var wanted: [ResourceRow] = []
            for id in ids { wanted.append(try member(id, of: group)) }
            let numbers = Set(wanted.map(\.number))
            for user in users(ofGroup: group.number) where !numbers.contains(user.number) {
                if remove(user, from: group) { isChanged = true }
            }
            for user in wanted where add(user, to: group) { isChanged = true }
        }
        let count = members.count { $0.group == group.number }
        guard count <= Limits.scimGroupMembersMax else { throw SCIMProblem.tooManyMembers }
        return isChanged
    }

    private func member(_ id: String, of group: ResourceRow) throws(SCIMProblem) -> ResourceRow {
        guard let user = resource(id, .user, in: group.tenantID) else { throw SCIMProblem.unknownMember }
        return user
    }

    private mutating func add(_ row: ResourceRow, to group: ResourceRow) -> Bool {
        guard members.insert(MemberRow(group: group.number, user: row.number)).inserted else { return false }
        if let role = group.roleID, let user = row.userID { give(role, to: user, in: group.tenantID) }
        return true
    }

    private mutating func remove(_ row: ResourceRow, from group: ResourceRow) -> Bool {
        guard members.remove(MemberRow(group: group.number, user: row.number)) != nil else { return false }
        if let role = group.roleID, let user = row.userID { take(role, from: user, row.number, in: group.tenantID) }
        return true
    }
}
