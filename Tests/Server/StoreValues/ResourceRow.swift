public import KeyturnBase
public import Model

/// A provisioned user or group.
public struct ResourceRow: Hashable, Sendable {
    /// Its place in the order of creation.
    public let number: Int64
    public let id: String
    public let tenantID: String
    public let kind: SCIMRecord.Kind
    public var content: SCIMContent
    /// The account; `nil` for groups.
    public var userID: UserID?
    /// Whether provisioning made the account.
    public var madeUser: Bool
    /// Whether provisioning disabled the account.
    public var disabledUser = false
    /// The login ID that the directory gave the account; empty: none.
    public var givenLoginID = ""
    /// Since when the user has the address that named the account, or when a merge brought it.
    public var broughtAt: UnixTime?
    /// The role that the members of a group have.
    public var roleID: String?
    public var version: Int64 = 1
    public let createdAt: UnixTime
    public var updatedAt: UnixTime
}

/// A user in a group, by their numbers.
public struct MemberRow: Hashable, Sendable {
    public let group: Int64
    public let user: Int64
}

extension ResourceRow {
    var record: SCIMRecord {
        SCIMRecord(
            id: id, tenantID: tenantID, kind: kind, number: number, attributes: content.attributes,
            isActive: content.isActive, userID: userID, roleID: roleID, givenLoginID: givenLoginID,
            version: version, createdAt: createdAt, updatedAt: updatedAt)
    }
}

extension StoreWorld {
    func resource(_ id: String, _ kind: SCIMRecord.Kind, in tenant: String) -> ResourceRow? {
        resources.values.first { $0.id == id && $0.kind == kind && $0.tenantID == tenant }
    }

    /// - Returns: its number.
    mutating func insert(
        _ id: String, _ kind: SCIMRecord.Kind, in tenant: String, _ content: SCIMContent, user: UserID?,
        madeUser: Bool, at now: UnixTime
    ) throws(StoreError) -> Int64 {
        let row = ResourceRow(
            number: nextNumber(), id: id, tenantID: tenant, kind: kind, content: content.indexed, userID: user,
            madeUser: madeUser, createdAt: now, updatedAt: now)
        try requireUnique(row)
        resources[row.number] = row
        return row.number
    }

    /// Replaces what is written of a resource. Its version grows.
    mutating func replace(_ row: ResourceRow, _ content: SCIMContent, at now: UnixTime) throws(StoreError) {
        var row = row
        row.content = content.indexed
        row.version += 1
        row.updatedAt = now
        try requireUnique(row)
        resources[row.number] = row
    }

    private func requireUnique(_ row: ResourceRow) throws(StoreError) {
        let isTaken = resources.values.contains { other in
            guard other.number != row.number else { return false }
            if other.id == row.id { return true }
            guard other.tenantID == row.tenantID else { return false }
            if row.userID != nil, other.userID == row.userID { return true }
            return other.kind == row.kind
                && (other.content.nameKey == row.content.nameKey
                    || row.content.externalID != nil && other.content.externalID == row.content.externalID)
        }
        guard !isTaken else { throw StoreError(.conflict) }
    }

    /// Removes a resource with its memberships in groups.
    mutating func removeResource(_ number: Int64) {
        resources[number] = nil
        members = members.filter { $0.group != number && $0.user != number }
    }

    /// The users of a group, in the order of creation.
    func users(ofGroup number: Int64) -> [ResourceRow] {
        members.filter { $0.group == number }.compactMap { resources[$0.user] }.sorted { $0.number < $1.number }
    }

    /// The roles that a provisioned user's groups give.
    func rolesOfGroups(with user: Int64) -> Set<String> {
        Set(members.filter { $0.user == user }.compactMap { resources[$0.group]?.roleID })
    }
}

extension SCIMContent {
    /// Of several values at one place the first one is seen.
    fileprivate var indexed: SCIMContent {
        struct Place: Hashable {
            let path: String
            let element: Int
        }
        var content = self
        var places: Set<Place> = []
        content.values = values.filter { places.insert(Place(path: $0.path, element: $0.element)).inserted }
        return content
    }
}
