import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: searches for users")
struct UserSearchTests {
    private func found(_ bench: Bench, _ change: (inout UserQuery) -> Void) async throws -> [Account] {
        var query = UserQuery()
        change(&query)
        let found = try await bench.stores.users.search(query)
        var whole = query
        (whole.limit, whole.page) = (Limits.usersOfPageMax, 0)
        #expect(try await bench.stores.users.count(query) == bench.stores.users.search(whole).count)
        return found
    }

    @Test(arguments: Engines.withValues)
    func `a search finds by each of its conditions, and by pages`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.stores.tenants.create(Tenant(id: "t1", name: "T", createdAt: bench.now))
        for number in 0..<5 {
            var user = try bench.account("user\(number)@example.com")
            user.user.isTest = number == 4
            user.user.attributes = ["n": .integer(Int64(number))]
            if number < 2 { user.memberships.tenants = ["t1": number == 0 ? ["r"] : []] }
            if number == 3 { user.user.status = .disabled }
            try await bench.stores.users.create(user, authenticator: nil)
        }
        func count(_ change: (inout UserQuery) -> Void) async throws -> Int { try await found(bench, change).count }
        #expect(try await count { _ in } == 4)
        #expect(try await count { $0.testUsers = .only } == 1)
        #expect(try await count { $0.testUsers = .with } == 5)
        #expect(try await count { $0.tenants = ["t1", "t9"] } == 2)
        #expect(try await count { $0.roles = ["r"] } == 1)
        let both = UserQuery.TenantRoles(tenant: "t1", roles: ["r", "s"], needsAll: true)
        #expect(try await count { $0.tenantRoles = [both] } == 0)
        #expect(
            try await count { $0.tenantRoles = [.init(tenant: "t1", roles: ["r", "s"], needsAll: false)] } == 1)
        #expect(try await count { $0.tenantRoles = [.init(tenant: "t1", roles: [], needsAll: false)] } == 0)
        #expect(try await count { $0.statuses = [.disabled] } == 1)
        #expect(try await count { $0.text = "user2" } == 1)
        #expect(try await count { $0.text = "%" } == 0, "a search is no pattern")
        #expect(try await count { $0.text = "'" } == 0)
        #expect(try await count { $0.attributes = ["n": 1] } == 1)
        #expect(try await count { $0.attributes = ["n": "1"] } == 0)
        #expect(try await count { $0.createdFrom = bench.now } == 4)
        #expect(try await count { $0.createdBefore = bench.now } == 0)
        #expect(try await count { $0.updatedFrom = bench.now + 1 } == 0)
        #expect(try await count { $0.updatedBefore = bench.now + 1 } == 4)
        #expect(try await count { $0.limit = 3 } == 3)
        let many = try (0..<1_000).map { try bench.identifier("user\($0)@example.com") }
        #expect(try await count { $0.identifiers = [many] } == 4, "as many as a search may name")
        #expect(try await count { $0.identifiers = [many, []] } == 0)
        #expect(
            try await count {
                $0.limit = 3
                $0.page = 1
            } == 1)
    }

    @Test(arguments: Engines.withValues)
    func `users come in the order asked for, those without the member last, equal ones as they were made`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        for (index, name) in ["c", "a", nil, "b", "a"].enumerated() {
            var account = try bench.account("user\(index)")
            account.user.claims = name.map { ["family_name": .string($0)] } ?? [:]
            try await bench.stores.users.create(account, authenticator: nil)
        }
        func order(_ sort: [UserQuery.Sort], page: Int = 0, limit: Int = 9) async throws -> [String] {
            let found = try await found(bench) {
                ($0.sort, $0.page, $0.limit) = (sort, page, limit)
            }
            return found.compactMap { $0.identifiers.keys.first?.value }
        }
        let byName = ["user1", "user4", "user3", "user0", "user2"]
        #expect(try await order([]) == (0..<5).map { "user\($0)" })
        #expect(try await order([.init(.familyName)]) == byName)
        let descending = [
            UserQuery.Sort(.familyName, isDescending: true), UserQuery.Sort(.loginId, isDescending: true),
        ]
        #expect(try await order(descending) == ["user0", "user3", "user4", "user1", "user2"])
        var pages: [String] = []
        for page in 0..<3 { pages += try await order([.init(.familyName)], page: page, limit: 2) }
        #expect(pages == byName)
        for key in UserQuery.Sort.Key.allCases {
            #expect(try await order([UserQuery.Sort(key)]).count == 5, "\(key)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `a text is part of a name or a login ID, in capitals or not, and with marks that JSON writes otherwise`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let names = ["Özlem Über-Öz", "anna \"Quote\" \\ Slash", "MÜLLER"]
        for (index, name) in names.enumerated() {
            var account = try bench.account("user\(index)")
            account.user.claims = ["name": .string(name), "nickname": "special"]
            try await bench.stores.users.create(account, authenticator: nil)
        }
        for (text, expected) in [
            ("özlem", [0]), ("über-öz", [0]), ("ber-", [0]), ("anna", [1]), ("\"quote\"", [1]), ("\\ slash", [1]),
            ("user", [0, 1, 2]), ("special", []), ("name", []), ("ller", [2]),
        ] as [(String, [Int])] {
            let found = try await found(bench) { $0.text = text }
            #expect(found.compactMap { $0.identifiers.keys.first?.value } == expected.map { "user\($0)" }, "\(text)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `the newest come first, also of one moment, and counting ends where it is told`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        for index in 0..<5 {
            try await bench.stores.users.create(try bench.account("user\(index)"), authenticator: nil)
        }
        var query = UserQuery()
        query.sort = [UserQuery.Sort(.createdTime, isDescending: true)]
        query.limit = 2
        var pages: [String] = []
        for page in 0..<3 {
            query.page = page
            pages += try await bench.stores.users.search(query).compactMap { $0.identifiers.keys.first?.value }
        }
        #expect(pages == (0..<5).reversed().map { "user\($0)" })
        for (max, count) in [(4, 4), (5, 5), (6, 5)] {
            query.countMax = max
            #expect(try await bench.stores.users.count(query) == count)
        }
    }
}
