import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: the login ID that a directory gave")
struct GivenLoginIDTests {
    private static let proven: Set = ["a.example"]
    private static let given = "kim@a.example"

    private static func content(_ name: String, isActive: Bool = true) -> SCIMContent {
        SCIMContent(
            attributes: ["userName": .string(name)], nameKey: name, externalID: nil, isActive: isActive, values: [])
    }

    /// What the directory says of a user, while its tenant has these domains.
    private static func say(
        _ address: String, isActive: Bool = true, of record: SCIMRecord, in domains: Set<String> = proven,
        _ bench: Bench
    ) async throws {
        let isProven = address.hasSuffix("@a.example") && !domains.isEmpty
        let change = SCIMUserChange(
            content: content(address, isActive: isActive), profile: bench.profile(address, isProven: isProven))
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: ["c"], provenDomains: domains, at: bench.now
        ) { _ in .success(change) }
    }

    private static func kim(_ bench: Bench) async throws -> (SCIMRecord, UserID) {
        try await bench.tenant("t1")
        let record = try await bench.provisioned(
            "kim", in: "t1", content(given), bench.profile(given, isProven: true))
        return (record, try #require(record.userID))
    }

    private static func account(_ id: UserID, _ bench: Bench) async throws -> Account {
        try #require(try await bench.stores.users.account(id))
    }

    /// The user proves an address, by their own hand.
    private static func prove(_ name: Identifier, _ id: UserID, _ bench: Bench) async throws {
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[name] = .verified }
    }

    @Test(arguments: Engines.withValues)
    func `a deactivated account with nothing else is disabled, whatever domains the tenant has now`(
        _ engine: any Engine
    ) async throws {
        let cases: [(Set<String>, Bool)] = [(Self.proven, false), ([], false), (Self.proven, true), ([], true)]
        for (domains, hasOwn) in cases {
            let bench = try await Bench(engine)
            let (record, id) = try await Self.kim(bench)
            let own = try bench.identifier("kim@home.example")
            if hasOwn { try await Self.prove(own, id, bench) }
            try await Self.say(Self.given, isActive: false, of: record, in: domains, bench)
            let left = try await Self.account(id, bench)
            #expect(left.user.status == (hasOwn ? .active : .disabled), "\(domains)")
            #expect(left.identifiers[try bench.identifier(Self.given)] == .verified, "the directory says it still")
            try await Self.say(Self.given, of: record, in: domains, bench)
            #expect(try await Self.account(id, bench).user.status == .active)
            let removed = try await bench.stores.provisionedUsers.deleteUser(
                record.id, in: "t1", version: nil, connections: [], provenDomains: domains, at: bench.now)
            #expect(removed == .deleted(account: id, isAccountRemoved: !hasOwn))
        }
    }

    @Test(arguments: Engines.withValues)
    func `an address in the tenant's domain that the user proved stays the user's, also if the directory names it`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (record, id) = try await Self.kim(bench)
        let (own, next) = (try bench.identifier("own@a.example"), try bench.identifier("next@a.example"))
        try await Self.prove(own, id, bench)
        try await Self.say(own.value, of: record, bench)
        #expect(try await Self.account(id, bench).identifiers == [own: .verified], "what it gave it takes")
        try await Self.say(next.value, of: record, bench)
        #expect(try await Self.account(id, bench).identifiers == [own: .verified], "and gives no other")
        try await Self.say(own.value, of: record, bench)
        try await Self.say(own.value, isActive: false, of: record, bench)
        let left = try await Self.account(id, bench)
        #expect(left.identifiers == [own: .verified] && left.user.status == .active)
        let removed = try await bench.stores.provisionedUsers.deleteUser(
            record.id, in: "t1", version: nil, connections: [], provenDomains: Self.proven, at: bench.now)
        #expect(removed == .deleted(account: id, isAccountRemoved: false))
    }

    @Test(arguments: Engines.withValues)
    func `an address that went, and that the user proved again, is the user's`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (record, id) = try await Self.kim(bench)
        let name = try bench.identifier(Self.given)
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[name] = nil }
        try await Self.prove(name, id, bench)
        try await Self.say("next@a.example", of: record, bench)
        #expect(try await Self.account(id, bench).identifiers[name] == .verified)
    }

    @Test(arguments: Engines.withValues)
    func `what the user only claimed, and the directory vouches for, is what it gave`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (record, id) = try await Self.kim(bench)
        let claimed = try bench.identifier("claimed@a.example")
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[claimed] = .unverified }
        try await Self.say(claimed.value, of: record, bench)
        #expect(try await Self.account(id, bench).identifiers == [claimed: .verified])
        try await Self.say(claimed.value, isActive: false, of: record, in: [], bench)
        #expect(try await Self.account(id, bench).user.status == .disabled)
    }

    @Test(arguments: Engines.withValues)
    func `a contact that another account has proved is given to no one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (record, id) = try await Self.kim(bench)
        let contact = try bench.identifier("contact@a.example")
        let bea = try await bench.user("bea@home.example")
        _ = try await bench.stores.users.change(bea.user.id, at: bench.now) {
            $0.set(.email, contact.value, isVerified: true)
        }
        let made = try await bench.provisioned(
            "eva", in: "t1", Self.content("eva"), bench.profile(contact.value, isProven: true))
        let eva = try await Self.account(try #require(made.userID), bench)
        #expect(eva.user.id != bea.user.id && eva.identifiers.isEmpty && !eva.isEmailVerified)
        try await Self.say(contact.value, of: record, bench)
        let kim = try await Self.account(id, bench)
        #expect(kim.identifiers.isEmpty && !kim.isEmailVerified)
        // The control: it is a claim, and no one has proved it.
        _ = try await bench.stores.users.change(bea.user.id, at: bench.now) {
            $0.set(.email, contact.value, isVerified: false)
        }
        try await Self.say(Self.given, of: record, bench)
        try await Self.say(contact.value, of: record, bench)
        #expect(try await Self.account(id, bench).identifiers == [contact: .verified])
    }

    @Test(arguments: Engines.withValues)
    func `what the tenant's provider gives is the directory's if the directory says it`(_ engine: any Engine)
        async throws
    {
        for said in ["kim@a.example", "kim"] {
            let bench = try await Bench(engine)
            try await bench.tenant("t1")
            let record = try await bench.provisioned("kim", in: "t1", Self.content(said), bench.profile())
            let id = try #require(record.userID)
            let address = try bench.identifier(Self.given)
            let key = FederatedIdentity.Key(connectionID: "c", issuer: "https://i", subject: "s")
            let identity = FederatedIdentity(key: key, userID: id, linkedAt: bench.now, usedAt: bench.now)
            let epoch = try await bench.epoch(of: Self.account(id, bench))
            #expect(try await bench.stores.identities.link(identity, epoch: epoch) == .linked)
            let use = IdentityUse(key: key, email: address.value, name: nil, tenantID: "t1", address: address)
            _ = try await bench.stores.identities.use(use, of: id, at: bench.now) { account, _ in
                account.identifiers[address] = .verified
                return []
            }
            try await Self.say(said, isActive: false, of: record, bench)
            let left = try await Self.account(id, bench)
            #expect(left.user.status == (said == "kim" ? .active : .disabled))
        }
    }
}
