import Foundation
import KeyturnBase
import KeyturnWire
import Model
import StoreSQL
import Testing

@Suite("Users, tenants, roles and keys in the database")
struct UserStoreTests {
    let now = UnixTime(rawValue: 1_000_000)
    let stores: Stores

    init() throws {
        stores = try SQLiteDatabase(path: nil).stores()
    }

    private func account(_ names: String..., verified: Bool = true, hash: String? = nil) throws -> Account {
        let user = User(id: .make(.live), claims: ["name": .string(names[0])], createdAt: now, updatedAt: now)
        let identifiers = try names.map { try #require(Identifier(loginID: $0)) }
        return Account(
            user: user,
            identifiers: Dictionary(identifiers.map { ($0, verified ? .verified : .unverified) }) { first, _ in first },
            passwordHash: hash)
    }

    private func grant(of account: Account, superseding previous: GrantID? = nil) -> Grant {
        Grant(
            id: .make(.live), clientID: "p", userID: account.user.id, sessionID: nil, scope: .none, resources: [],
            authentication: .password(at: now), nonce: nil, claimsRequest: nil, tenantID: "t",
            sessionClaims: SessionClaims(client: ["k": 1]), supersedes: previous, createdAt: now,
            idleExpiresAt: now + 60, absoluteExpiresAt: now + 1_000)
    }

    @Test func `of a hundred parallel creations of one identifier, one wins`() async throws {
        let accounts = try (0..<100).map { _ in try account("andy@example.com") }
        let outcomes = await withTaskGroup(of: StoreError.Code?.self) { group in
            for account in accounts {
                group.addTask {
                    do throws(StoreError) {
                        try await stores.users.create(account)
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
            return await group.reduce(into: [StoreError.Code?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == .conflict } == 99)
        #expect(try await stores.users.accounts(after: nil, limit: 200).count == 1)
    }

    @Test func `a walk through all users goes on where it was, though the last one seen is deleted meanwhile`()
        async throws
    {
        for number in 0..<10 { try await stores.users.create(try account("user\(number)@example.com")) }
        var seen: [UserID] = []
        while true {
            let page = try await stores.users.accounts(after: seen.last, limit: 3)
            guard let last = page.last else { break }
            seen += page.map(\.user.id)
            #expect(try await stores.users.delete(last.user.id, at: now))
        }
        #expect(seen.count == 10 && Set(seen).count == 10)
    }

    @Test func `of a hundred parallel changes of one user, none is lost`() async throws {
        let andy = try account("andy@example.com")
        try await stores.users.create(andy)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    _ = try await stores.users.change(andy.user.id, at: now) {
                        $0.user.attributes["a\(number)"] = .integer(Int64(number))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stores.users.account(andy.user.id)?.user.attributes.count == 100)
    }

    @Test func `a user with everything comes back as it was written, and a missing tenant is said`() async throws {
        var andy = try account("andy@example.com", "andy", "+15551234567", hash: "$x")
        andy.user.attributes = ["plan": "gold", "seats": 3, "on": true]
        andy.user.isTest = true
        andy.memberships = Memberships(roles: ["r1"], tenants: ["t1": ["r2"], "t2": []])
        await #expect(throws: StoreError.self) { try await stores.users.create(andy) }
        for id in ["t1", "t2"] { try await stores.tenants.create(Tenant(id: id, name: id, createdAt: now)) }
        try await stores.users.create(andy)
        #expect(try await stores.users.account(andy.user.id) == andy)
        #expect(try await stores.tenants.delete("t2"))
        #expect(try await stores.users.account(andy.user.id)?.memberships.tenants == ["t1": ["r2"]])
    }

    @Test func `a search finds by each of its conditions, and by pages`() async throws {
        try await stores.tenants.create(Tenant(id: "t1", name: "T", createdAt: now))
        for number in 0..<5 {
            var user = try account("user\(number)@example.com")
            user.user.isTest = number == 4
            user.user.attributes = ["n": .integer(Int64(number))]
            if number < 2 { user.memberships.tenants = ["t1": number == 0 ? ["r"] : []] }
            if number == 3 { user.user.status = .disabled }
            try await stores.users.create(user)
        }
        func count(_ change: (inout UserQuery) -> Void) async throws -> Int {
            var query = UserQuery()
            change(&query)
            return try await stores.users.search(query).count
        }
        #expect(try await count { _ in } == 4)
        #expect(try await count { $0.testUsers = .only } == 1)
        #expect(try await count { $0.testUsers = .with } == 5)
        #expect(try await count { $0.tenants = ["t1", "t9"] } == 2)
        #expect(try await count { $0.roles = ["r"] } == 1)
        #expect(try await count { $0.statuses = [.disabled] } == 1)
        #expect(try await count { $0.text = "user2" } == 1)
        #expect(try await count { $0.text = "%" } == 0, "a search is no pattern")
        #expect(try await count { $0.attributes = ["n": 1] } == 1)
        #expect(try await count { $0.limit = 3 } == 3)
        let many = try (0..<1_000).map { try #require(Identifier(loginID: "user\($0)@example.com")) }
        #expect(try await count { $0.identifiers = [many] } == 4, "as many as a search may name")
        var audit = AuditQuery()
        audit.loginIDs = many
        #expect(try await stores.audit.count(audit) == 0)
        #expect(
            try await count {
                $0.limit = 3
                $0.page = 1
            } == 1)
    }

    @Test(arguments: [UserMerge.Kept.asking, .existing])
    func `attack 92: of two accounts one stays, and an unverified one brings nothing`(_ kept: UserMerge.Kept)
        async throws
    {
        let asking = try account("+15551234567", hash: nil)
        let existing = try account("andy@example.com", "andy", verified: false, hash: "$attacker")
        for account in [asking, existing] { try await stores.users.create(account) }
        let identifier = try #require(Identifier(loginID: "andy@example.com"))
        let merged = try await stores.users.merge(
            asking: asking.user.id, existing: existing.user.id, proved: identifier, keeping: kept, at: now)
        #expect(merged.user.id == (kept == .asking ? asking : existing).user.id)
        #expect(merged.identifiers.count == 2 && merged.identifiers[identifier] == .verified)
        let stored = try #require(try await stores.users.account(merged.user.id))
        #expect(stored.passwordHash == nil && stored.identifiers == merged.identifiers)
        #expect(try await stores.users.account((kept == .asking ? existing : asking).user.id) == nil)
    }

    @Test func `a session that goes on from another one ends it when it is first used`() async throws {
        let andy = try account("andy@example.com")
        try await stores.users.create(andy)
        let first = grant(of: andy)
        #expect(try await stores.grants.open(first, epoch: 0, endingOthers: false, at: now))
        let second = grant(of: andy, superseding: first.id)
        #expect(try await stores.grants.open(second, epoch: 0, endingOthers: false, at: now))
        #expect(try await stores.grants.isLive(first.id, at: now), "its successor's answer may have been lost")
        let renewal = try await stores.grants.renew(
            second.id, counter: 0, clientID: "p", keyThumbprint: nil, idleSeconds: 60, at: now)
        guard case .renewed(let renewed) = renewal else { throw StoreError(.missing) }
        #expect(renewed.tenantID == "t" && renewed.sessionClaims.client == ["k": 1])
        #expect(try await !stores.grants.isLive(first.id, at: now))
        #expect(try await stores.grants.presented(second.id, at: now)?.account == andy)
    }

    @Test func `a key is found by its secret alone, and its bound user must be active`() async throws {
        var andy = try account("andy@example.com")
        andy.memberships.roles = ["r"]
        try await stores.users.create(andy)
        let key = AccessKey(
            id: "K1", name: "ci", boundUser: andy.user.id, createdBy: "test", createdAt: now, updatedAt: now)
        let secret = SecretDigest(of: Secret("one"))
        try await stores.accessKeys.create(key, digest: secret)
        #expect(try await stores.accessKeys.key(secret)?.user?.memberships.roles == ["r"])
        _ = try await stores.accessKeys.rotate("K1", to: SecretDigest(of: Secret("two")), at: now)
        #expect(try await stores.accessKeys.key(secret) == nil)
        _ = try await stores.users.change(andy.user.id, at: now) { $0.user.status = .disabled }
        let found = try await stores.accessKeys.key(SecretDigest(of: Secret("two")))
        #expect(found?.key.id == "K1" && found?.user == nil)
    }

    @Test func `renaming a permission reaches every role, deleting it leaves none`() async throws {
        try await stores.roles.create(Permission(name: "read"))
        try await stores.roles.create(
            Role(id: "r", tenantID: nil, name: "reader", permissions: ["read"], createdAt: now))
        await #expect(throws: StoreError.self) {
            try await stores.roles.create(
                Role(id: "r2", tenantID: nil, name: "reader", permissions: [], createdAt: now))
        }
        try await stores.roles.update(permission: "read", to: Permission(name: "look"))
        #expect(try await stores.roles.roles(limit: 10).first?.permissions == ["look"])
        #expect(try await stores.roles.deletePermission("look"))
        #expect(try await stores.roles.roles(limit: 10).first?.permissions == [])
    }
}
