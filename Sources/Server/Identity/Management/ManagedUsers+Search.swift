internal import KeyturnBase
public import KeyturnWire

extension ManagedUsers {
    /// One page of the users that a call describes.
    public func search(_ body: MethodBody, onlyTestUsers: Bool) async throws -> [Account] {
        var query = UserQuery()
        query.tenants = try body.texts("tenantIds")
        let names = try body.texts("roleNames")
        query.roles = directory.roles.filter { names.contains($0.name) }.map(\.id)
        // Roles that nobody can have are no reason to show everybody.
        if !names.isEmpty, query.roles.isEmpty { return [] }
        for word in try body.texts("statuses") { query.statuses.append(try UserDetails.status(word)) }
        let named = try body.texts("loginIds") + body.texts("emails") + body.texts("phones")
        query.identifiers = named.compactMap(Identifier.init(loginID:))
        if !named.isEmpty, query.identifiers.isEmpty { return [] }
        query.text = try body.text("text").flatMap(Identifier.init(loginID:))?.value
        query.attributes = try body.object("customAttributes")
        query.testUsers = .without
        if try body.flag("withTestUser") ?? false { query.testUsers = .with }
        if try onlyTestUsers || body.flag("testUsersOnly") ?? false { query.testUsers = .only }
        query.createdFrom = try body.integer("fromCreatedTime").map { UnixTime(rawValue: $0 / 1_000) }
        query.createdBefore = try body.integer("toCreatedTime").map { UnixTime(rawValue: $0 / 1_000 + 1) }
        let conditions =
            [
                query.tenants.count, query.roles.count, query.statuses.count, query.identifiers.count,
                query.attributes.count,
            ].max() ?? 0
        guard conditions <= Self.conditionsMax else {
            throw MethodProblem.invalidArguments.saying("A list has at most \(Self.conditionsMax) members")
        }
        let limit = try body.integer("limit") ?? 0
        let page = try body.integer("page") ?? 0
        guard (0...Int64(Limits.usersOfPageMax)).contains(limit), (0...Int64(Limits.searchPageMax)).contains(page)
        else {
            throw MethodProblem.invalidArguments.saying("limit is at most \(Limits.usersOfPageMax)")
        }
        query.limit = limit == 0 ? Self.pageDefault : Int(limit)
        query.page = Int(page)
        return try await stores.users.search(query)
    }

    private static let pageDefault = 100
    private static let conditionsMax = 500
}
