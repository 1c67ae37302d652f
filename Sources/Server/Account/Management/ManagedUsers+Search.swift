internal import KeyturnBase
public import KeyturnWire
public import Model

extension ManagedUsers {
    /// One page of the users that a search finds, and their total number.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` for a filter that is malformed, too long, or unknown here.
    public func search(_ body: MethodBody, onlyTestUsers: Bool) async throws -> (users: [Account], total: Int) {
        guard let query = try query(body, onlyTestUsers: onlyTestUsers) else { return ([], 0) }
        let users = try await stores.users.search(query)
        return (users, try await count(query, found: users.count))
    }

    /// How many users a query describes. A page that is not full tells it without another search.
    func count(_ query: UserQuery, found: Int) async throws(StoreError) -> Int {
        guard found == query.limit || found == 0 && query.page > 0 else { return query.limit * query.page + found }
        return try await stores.users.count(query)
    }

    private static let filters: Set = [
        "tenantIds", "roleNames", "statuses", "loginIds", "emails", "phones", "userIds", "text", "customAttributes",
        "withTestUser", "testUsersOnly", "fromCreatedTime", "toCreatedTime", "fromModifiedTime", "toModifiedTime",
        "tenantRoleIds", "tenantRoleNames", "sort", "limit", "page", "ssoAppIds", "familyIds", "dependent",
        "lockReasons",
    ]

    /// The search of a call; `nil` if no user can match it.
    private func query(_ body: MethodBody, onlyTestUsers: Bool) throws -> UserQuery? {
        try body.requireKnown(Self.filters)
        // This server has no such applications and families, and wrong guesses disable no user: these filters match no
        // user.
        for name in ["ssoAppIds", "familyIds", "lockReasons"] where try !body.boundedTexts(name).isEmpty { return nil }
        if try body.flag("dependent") ?? false { return nil }
        var query = UserQuery()
        query.tenants = try body.boundedTexts("tenantIds")
        let names = try body.boundedTexts("roleNames")
        query.roles = directory.roles.filter { names.contains($0.name) }.map(\.id)
        if !names.isEmpty, query.roles.isEmpty { return nil }
        query.tenantRoles = try tenantRoles(body)
        for word in try body.boundedTexts("statuses") { query.statuses.append(try UserDetails.status(word)) }
        query.users = try body.boundedTexts("userIds").map(UserID.init(rawValue:))
        for name in ["loginIds", "emails", "phones"] {
            let named = try body.boundedTexts(name)
            if !named.isEmpty { query.identifiers.append(named.compactMap(Identifier.init(loginID:))) }
        }
        if let text = try body.text("text") {
            guard let normal = Identifier(loginID: text)?.value else { return nil }
            query.text = normal
        }
        query.attributes = try body.object("customAttributes")
        guard query.attributes.count <= Limits.searchValuesMax else { throw MethodBody.tooMany("customAttributes") }
        query.testUsers = .without
        if try body.flag("withTestUser") ?? false { query.testUsers = .with }
        if try onlyTestUsers || body.flag("testUsersOnly") ?? false { query.testUsers = .only }
        try readTimes(body, into: &query)
        query.sort = try sort(body)
        try readPage(body, into: &query)
        return query
    }

    /// Times come in milliseconds and are stored in seconds. Both ends belong to the range.
    private func readTimes(_ body: MethodBody, into query: inout UserQuery) throws {
        func first(_ name: String) throws -> UnixTime? {
            try body.integer(name).map { UnixTime(rawValue: $0 / 1_000) }
        }
        func after(_ name: String) throws -> UnixTime? {
            try body.integer(name).map { UnixTime(rawValue: $0 / 1_000 + 1) }
        }
        query.createdFrom = try first("fromCreatedTime")
        query.createdBefore = try after("toCreatedTime")
        query.updatedFrom = try first("fromModifiedTime")
        query.updatedBefore = try after("toModifiedTime")
    }

    /// `{"TENANT": {"values": […], "and": true}}`, by identifiers and by names. An unknown role matches no user.
    private func tenantRoles(_ body: MethodBody) throws -> [UserQuery.TenantRoles] {
        var result: [UserQuery.TenantRoles] = []
        for isByName in [true, false] {
            let member = isByName ? "tenantRoleNames" : "tenantRoleIds"
            let wanted = try body.body(member)
            guard wanted.members.count <= Limits.tenantsOfUserMax else { throw MethodBody.tooMany(member) }
            for tenant in wanted.members.keys.sorted() {
                let condition = try wanted.body(tenant)
                let values = try condition.boundedTexts("values", limit: Limits.rolesOfUserMax)
                let roles = isByName ? values.compactMap { directory.role(named: $0, in: tenant)?.id } : values
                let needsAll = try condition.flag("and") ?? false
                let isPossible = !needsAll || roles.count == values.count
                result.append(.init(tenant: tenant, roles: isPossible ? roles : [], needsAll: needsAll))
            }
        }
        return result
    }

    private func sort(_ body: MethodBody) throws -> [UserQuery.Sort] {
        let terms = try body.bodies("sort")
        guard terms.count <= Limits.sortKeysMax else { throw MethodBody.tooMany("sort") }
        return try terms.map { term in
            let field = try term.requiredText("field")
            let key = field == "displayName" ? .name : UserQuery.Sort.Key(rawValue: field)
            guard let key else {
                let known = UserQuery.Sort.Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw MethodProblem.invalidArguments.saying("Users can be sorted by \(known)")
            }
            return UserQuery.Sort(key, isDescending: try term.flag("desc") ?? false)
        }
    }

    private func readPage(_ body: MethodBody, into query: inout UserQuery) throws {
        let limit = try body.integer("limit") ?? 0
        let page = try body.integer("page") ?? 0
        guard (0...Int64(Limits.usersOfPageMax)).contains(limit), (0...Int64(Limits.searchPageMax)).contains(page)
        else {
            throw MethodProblem.invalidArguments.saying("limit is at most \(Limits.usersOfPageMax)")
        }
        query.limit = limit == 0 ? Self.pageDefault : Int(limit)
        query.page = Int(page)
    }

    private static let pageDefault = 100
}

/// Checks that several searches share.
extension MethodBody {
    /// Refuses a filter that would be ignored, because the client would get results that it did not ask for.
    ///
    /// - Throws: ``MethodProblem/invalidArguments``, naming the first such member that is not empty.
    package func requireKnown(_ names: Set<String>) throws(MethodProblem) {
        let strangers = members.filter { name, value in
            !names.contains(name) && ![.null, .string(""), .array([]), .object([:]), .bool(false)].contains(value)
        }
        guard let stranger = strangers.keys.min() else { return }
        let shown = stranger.prefix(64).filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        throw .invalidArguments.saying("This server cannot search by \(shown)")
    }

    /// The texts of an array within the limit of a search.
    package func boundedTexts(_ name: String, limit: Int = Limits.searchValuesMax) throws(MethodProblem) -> [String] {
        let texts = try texts(name)
        guard texts.count <= limit else { throw Self.tooMany(name) }
        return texts
    }

    static func tooMany(_ name: String) -> MethodProblem {
        .invalidArguments.saying("The \(name) field has too many members")
    }
}
