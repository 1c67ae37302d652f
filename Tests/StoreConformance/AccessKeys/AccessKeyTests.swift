import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: access keys")
struct AccessKeyTests {
    private func key(_ id: String, user: UserID? = nil, tenants: [String: [String]] = [:], _ bench: Bench) -> AccessKey
    {
        AccessKey(
            id: id, name: "ci", description: "It's \"quoted\"", boundUser: user,
            memberships: Memberships(roles: ["r"], tenants: tenants), customClaims: ["a": 1], attributes: ["b": true],
            permittedNetworks: ["192.0.2.0/24"], createdBy: "test", createdAt: bench.now, updatedAt: bench.now,
            expiresAt: bench.now + 60)
    }

    @Test(arguments: Engines.all)
    func `a key is found by its secret alone, and its bound user must be active`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (keys, now) = (bench.stores.accessKeys, bench.now)
        var andy = try bench.account("andy@example.com")
        andy.memberships.roles = ["r"]
        try await bench.stores.users.create(andy, authenticator: nil)
        let stored = key("K1", user: andy.user.id, bench)
        try await keys.create(stored, digest: bench.digest("one"))
        let found = try #require(try await keys.key(bench.digest("one")))
        #expect(found.key == stored && found.user?.memberships.roles == ["r"])
        #expect(try await keys.key("K1") == stored)
        #expect(try await keys.key("K2") == nil)
        let rotated = try await keys.rotate("K1", to: bench.digest("two"), at: now + 5)
        #expect(rotated.updatedAt == now + 5)
        #expect(try await keys.key(bench.digest("one")) == nil)
        _ = try await bench.stores.users.change(andy.user.id, at: now) { $0.user.status = .disabled }
        let disabled = try #require(try await keys.key(bench.digest("two")))
        #expect(disabled.key.id == "K1" && disabled.user == nil)
    }

    @Test(arguments: Engines.all)
    func `keys are listed in the order of their creation, by tenant and user`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let keys = bench.stores.accessKeys
        for id in ["t1", "t2"] {
            try await bench.stores.tenants.create(Tenant(id: id, name: id, createdAt: bench.now))
        }
        let andy = try await bench.user().user.id
        for (index, tenants) in [["t1": []], ["t2": ["r"]], [:], ["t1": [], "t2": []]].enumerated() {
            let stored = key("K\(9 - index)", user: index == 2 ? andy : nil, tenants: tenants, bench)
            try await keys.create(stored, digest: bench.digest("\(index)"))
        }
        func ids(_ tenants: [String], _ user: UserID? = nil, limit: Int = 9, offset: Int = 0) async throws -> [String] {
            try await keys.search(tenants: tenants, user: user, limit: limit, offset: offset).map(\.id)
        }
        #expect(try await ids([]) == ["K9", "K8", "K7", "K6"])
        #expect(try await ids(["t1"]) == ["K9", "K6"])
        #expect(try await ids(["t1", "t2"], limit: 2) == ["K9", "K8"])
        #expect(try await ids(["t1", "t2"], limit: 2, offset: 2) == ["K6"])
        #expect(try await ids([], andy) == ["K7"])
        #expect(try await ids(["t9"]) == [])
    }

    @Test(arguments: Engines.all)
    func `of a hundred changes of one key none is lost`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.stores.accessKeys.create(key("K", bench), digest: bench.digest("one"))
        _ = try await bench.race { [now = bench.now] stores, number in
            try await stores.accessKeys.change("K", at: now + 5) { $0.attributes["a\(number)"] = true }
        }
        let changed = try #require(try await bench.stores.accessKeys.key("K"))
        #expect(changed.attributes.count == 101 && changed.updatedAt == bench.now + 5)
    }

    @Test(arguments: Engines.all)
    func `what is missing is said, and nothing is written`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (keys, now) = (bench.stores.accessKeys, bench.now)
        for stored in [key("K", user: .make(.live), bench), key("K", tenants: ["nowhere": []], bench)] {
            #expect(try await bench.refusal { try await keys.create(stored, digest: bench.digest("one")) } == .missing)
        }
        #expect(try await keys.key("K") == nil)
        #expect(try await bench.refusal { _ = try await keys.change("K", at: now) { _ in } } == .missing)
        #expect(try await bench.refusal { _ = try await keys.rotate("K", to: bench.digest("x"), at: now) } == .missing)
        #expect(try await !keys.delete("K"))
        try await keys.create(key("K", bench), digest: bench.digest("one"))
        let refusal = try await bench.refusal {
            _ = try await keys.change("K", at: now) { $0.memberships.tenants = ["nowhere": []] }
        }
        #expect(refusal == .missing)
        #expect(try await keys.key("K") == key("K", bench))
        #expect(try await keys.delete("K"))
        #expect(try await keys.key(bench.digest("one")) == nil)
    }
}
