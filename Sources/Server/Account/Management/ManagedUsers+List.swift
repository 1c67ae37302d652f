public import Model

/// The users as an operator looks through them.
extension ManagedUsers {
    /// What is looked for. Empty members are met by every user.
    public struct ListQuery: Hashable, Sendable {
        /// Part of a name or login ID; a whole user identifier finds its user.
        public var text = ""
        public var status: User.Status?
        /// The tenant's identifier.
        public var tenant: String?
        /// The role's identifier, held anywhere.
        public var role: String?
        /// From 0.
        public var page = 0

        public init() {}
    }

    /// One page of users.
    public struct UserList: Sendable {
        public let users: [Account]
        /// At most ``Limits/usersCountedMax``, or ``Limits/usersMatchedMax`` if a text is looked for.
        public let total: Int
        /// Whether there are more than that.
        public let areMore: Bool
    }

    /// One page of users, ``Limits/usersListedMax`` at most: the newest first, and before them the user whose login ID
    /// or identifier is exactly the text.
    public func list(_ wanted: ListQuery) async throws(StoreError) -> UserList {
        var query = UserQuery()
        query.testUsers = .with
        query.sort = [UserQuery.Sort(.createdTime, isDescending: true)]
        query.limit = Limits.usersListedMax
        query.page = wanted.page
        query.countMax = Limits.usersCountedMax + 1
        query.statuses = wanted.status.map { [$0] } ?? []
        query.tenants = wanted.tenant.map { [$0] } ?? []
        query.roles = wanted.role.map { [$0] } ?? []
        guard !wanted.text.isEmpty else { return try await list(query) }
        guard let identifier = Identifier(loginID: wanted.text) else {
            return UserList(users: [], total: 0, areMore: false)
        }
        var named: [Account] = []
        if let account = try await first(query, { $0.users = [UserID(rawValue: identifier.value)] }) {
            named = [account]
        } else if let account = try await first(query, { $0.identifiers = [[identifier]] }) {
            named = [account]
        }
        // No other user has a whole address, or an identifier. A user name may be part of others' names.
        guard named.isEmpty || named[0].identifiers[identifier] != nil && identifier.kind == .username else {
            return UserList(users: wanted.page == 0 ? named : [], total: 1, areMore: false)
        }
        query.text = identifier.value
        query.countMax = Limits.usersMatchedMax + 1
        let found = try await list(query)
        guard wanted.page == 0 else { return found }
        let others = found.users.filter { $0.user.id != named.first?.user.id }
        return UserList(users: named + others, total: found.total, areMore: found.areMore)
    }

    /// The user who meets one more condition, and the others of a query.
    private func first(_ query: UserQuery, _ condition: (inout UserQuery) -> Void) async throws(StoreError)
        -> Account?
    {
        var query = query
        query.page = 0
        query.limit = 1
        condition(&query)
        return try await stores.users.search(query).first
    }

    private func list(_ query: UserQuery) async throws(StoreError) -> UserList {
        let users = try await stores.users.search(query)
        let count = try await count(query, found: users.count)
        let max = (query.countMax ?? .max) - 1
        return UserList(users: users, total: min(count, max), areMore: count > max)
    }
}
