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
        /// At most ``Limits/usersCountedMax``.
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
        var exact = query
        exact.users = [UserID(rawValue: identifier.value)]
        let named = try await stores.users.search(exact)
        guard named.isEmpty else { return UserList(users: named, total: named.count, areMore: false) }
        query.text = identifier.value
        let found = try await list(query)
        guard wanted.page == 0, found.users.count > 1 else { return found }
        exact.users = []
        exact.identifiers = [[identifier]]
        let first = try await stores.users.search(exact)
        let others = found.users.filter { !first.map(\.user.id).contains($0.user.id) }
        return UserList(users: first + others, total: found.total, areMore: found.areMore)
    }

    private func list(_ query: UserQuery) async throws(StoreError) -> UserList {
        let users = try await stores.users.search(query)
        let count = try await count(query, found: users.count)
        return UserList(
            users: users, total: min(count, Limits.usersCountedMax), areMore: count > Limits.usersCountedMax)
    }
}
