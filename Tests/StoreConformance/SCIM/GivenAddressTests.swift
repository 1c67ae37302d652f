import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: what a directory gave an account, and what its user has elsewhere")
struct GivenAddressTests {
    private static let proven: Set = ["a.example"]

    private static func content(_ name: String) -> SCIMContent {
        SCIMContent(
            attributes: ["userName": .string(name)], nameKey: name, externalID: nil, isActive: true, values: [])
    }

    private static func say(_ address: String?, isProven: Bool, of record: SCIMRecord, _ bench: Bench) async throws {
        let change = SCIMUserChange(
            content: content(address ?? "kim"), profile: bench.profile(address, isProven: isProven))
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], provenDomains: proven, at: bench.now
        ) { _ in .success(change) }
    }

    private static func names(of user: UserID, _ bench: Bench) async throws -> [Identifier: Account.IdentifierState] {
        try #require(try await bench.stores.users.account(user)).identifiers
    }

    @Test(arguments: Engines.withValues)
    func `a proved address that the directory names afterwards stays the user's, and keeps the account`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let given = "kim@a.example"
        let record = try await bench.provisioned(
            "kim", in: "t1", Self.content(given), bench.profile(given, isProven: true))
        let id = try #require(record.userID)
        let (own, next) = (try bench.identifier("kim@home.example"), try bench.identifier("kim2@a.example"))
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[own] = .verified }
        try await Self.say(own.value, isProven: false, of: record, bench)
        #expect(try await Self.names(of: id, bench) == [own: .verified])
        try await Self.say(next.value, isProven: true, of: record, bench)
        #expect(try await Self.names(of: id, bench) == [own: .verified], "what it gave is gone")
        try await Self.say(own.value, isProven: false, of: record, bench)
        let removed = try await bench.stores.provisionedUsers.deleteUser(
            record.id, in: "t1", version: nil, connections: [], provenDomains: Self.proven, at: bench.now)
        #expect(removed == .deleted(account: id, isAccountRemoved: false))
        #expect(try await Self.names(of: id, bench) == [own: .verified])
    }

    @Test(arguments: Engines.withValues)
    func `an account with nothing but the address that the directory gave goes with it`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let given = "kim@a.example"
        let record = try await bench.provisioned(
            "kim", in: "t1", Self.content(given), bench.profile(given, isProven: true))
        let removed = try await bench.stores.provisionedUsers.deleteUser(
            record.id, in: "t1", version: nil, connections: [], provenDomains: Self.proven, at: bench.now)
        #expect(removed == .deleted(account: record.userID, isAccountRemoved: true))
    }

    @Test(arguments: Engines.withValues)
    func `a contact that its user has proved is the user's own`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let own = try bench.identifier("kim@home.example")
        let record = try await bench.provisioned("kim", in: "t1", Self.content(own.value), bench.profile(own.value))
        let id = try #require(record.userID)
        _ = try await bench.stores.users.change(id, at: bench.now) { account in
            account.identifiers[own] = .verified
            account.set(.email, own.value, isVerified: true)
        }
        try await Self.say(nil, isProven: false, of: record, bench)
        let left = try #require(try await bench.stores.users.account(id))
        #expect(left.identifiers == [own: .verified] && left.knowsVerified(own))
    }

    @Test(arguments: Engines.withValues)
    func `whom an operator disabled is not joined with another account`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let record = try await bench.provisioned("kim", in: "t1", nil, bench.profile("kim@a.example"))
        let locked = try #require(record.userID)
        _ = try await bench.stores.users.change(locked, at: bench.now) { $0.user.status = .disabled }
        let person = try await bench.user("kim@a.example")
        let joined = try await bench.stores.provisionedUsers.rejoin(
            record.id, in: "t1", bench.profile("kim@a.example", isProven: true), connections: [], at: bench.now)
        #expect(joined == nil)
        #expect(try await bench.stores.provisioned.resource(record.id, .user, in: "t1")?.userID == locked)
        let left = try #require(try await bench.stores.users.account(person.user.id))
        #expect(left.memberships.tenants.isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `a resource that was removed under a lock says that it is inactive`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let record = try await bench.provisioned("kim", in: "t1")
        let id = try #require(record.userID)
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.user.status = .disabled }
        let removed = try await bench.stores.provisionedUsers.deleteUser(
            record.id, in: "t1", version: nil, connections: [], at: bench.now)
        #expect(removed == .deleted(account: id, isAccountRemoved: false))
        let left = try #require(try await bench.stores.provisioned.resource(record.id, .user, in: "t1"))
        #expect(!left.isActive && left.attributes["active"] == false)
    }
}
