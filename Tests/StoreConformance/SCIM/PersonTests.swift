import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: who a provisioned user is")
struct ProvisionedPersonTests {
    private static func match(
        _ bench: Bench, externalIDs: [String] = [], userNames: [String] = [], emails: [String] = [],
        in tenant: String = "t1"
    ) async throws -> ProvisionedMatch? {
        try await bench.stores.provisionedUsers.match(
            ProvisionedNames(externalIDs: externalIDs, userNames: userNames, emails: emails), in: tenant,
            connections: ["c"])
    }

    @Test(arguments: Engines.withValues)
    func `a user is found by external identifier, name or address, in the one tenant, if there is one alone`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        for tenant in ["t1", "t2"] { try await bench.tenant(tenant) }
        func mail(_ address: String) -> SCIMContent.Value { SCIMContent.Value("emails.value", element: 0, address) }
        let kim = try await bench.provisioned(
            "kim", in: "t1", bench.content("kim", external: "x1", values: [mail("kim@g.example")]))
        _ = try await bench.provisioned(
            "bea", in: "t1", bench.content("bea", isActive: false, values: [mail("kim@g.example")]))
        _ = try await bench.provisioned("eva", in: "t2", bench.content("eva", external: "x2"))
        #expect(try await Self.match(bench, externalIDs: ["x1", "other"])?.account.user.id == kim.userID)
        #expect(try await Self.match(bench, externalIDs: ["none"], userNames: ["kim"])?.account.user.id == kim.userID)
        #expect(try await Self.match(bench, emails: ["kim@g.example"]) == nil, "two have it")
        #expect(try await Self.match(bench, userNames: ["kim", "bea"]) == nil)
        let bea = try #require(try await Self.match(bench, userNames: ["bea"]))
        #expect(!bea.isActive && bea.isHeldHereAlone)
        #expect(try await Self.match(bench, externalIDs: ["x2"]) == nil, "another tenant's")
        #expect(try await Self.match(bench, externalIDs: ["x2"], in: "t2") != nil)
    }

    @Test(arguments: Engines.withValues)
    func `an unused account gives way to the person's, one in use does not`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let users = bench.stores.provisionedUsers
        let record = try await bench.provisioned("kim", in: "t1", nil, bench.profile("kim@a.example"))
        let unused = try #require(record.userID)
        let proven = bench.profile("kim@a.example", isProven: true)
        let person = try await bench.user("kim@a.example")
        #expect(
            try await users.rejoin(record.id, in: "t1", bench.profile("kim@a.example"), connections: [], at: bench.now)
                == nil, "the domain is not proven")
        #expect(
            try await users.rejoin(record.id, in: "t1", proven, connections: [], at: bench.now) == person.user.id)
        #expect(try await bench.stores.users.account(unused) == nil)
        let moved = try #require(try await bench.stores.provisioned.resource(record.id, .user, in: "t1"))
        #expect(moved.userID == person.user.id && moved.version == record.version)
        #expect(try await bench.stores.users.account(person.user.id)?.memberships.tenants["t1"] != nil)
        #expect(try await users.hasAdopted(person.user.id, in: "t1"))
        #expect(try await users.rejoin(record.id, in: "t1", proven, connections: [], at: bench.now) == nil)

        let used = try await bench.provisioned("bea", in: "t1", nil, bench.profile("bea@a.example"))
        let usedID = try #require(used.userID)
        let account = try #require(try await bench.stores.users.account(usedID))
        _ = try await bench.openSession(of: account)
        _ = try await bench.user("bea@a.example")
        let bea = bench.profile("bea@a.example", isProven: true)
        #expect(try await users.rejoin(used.id, in: "t1", bea, connections: [], at: bench.now) == nil)
        #expect(try await users.rejoin("none", in: "t1", bea, connections: [], at: bench.now) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `an inactive user stays out, whoever it is about`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let record = try await bench.provisioned(
            "kim", in: "t1", bench.content("kim", isActive: false), bench.profile("kim@a.example"))
        let person = try await bench.user("kim@a.example")
        _ = try await bench.stores.users.change(person.user.id, at: bench.now) { $0.memberships.tenants["t1"] = [] }
        let proven = bench.profile("kim@a.example", isProven: true)
        let joined = try await bench.stores.provisionedUsers.rejoin(
            record.id, in: "t1", proven, connections: [], at: bench.now)
        #expect(joined == person.user.id)
        let after = try #require(try await bench.stores.users.account(person.user.id))
        #expect(after.memberships.tenants.isEmpty && after.user.status == .active)
    }
}
