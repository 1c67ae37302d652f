import Authority
import Identity
import KeyturnBase
import Model
import SCIM
import ServerTesting
import SignIn
import Testing

@Suite("Users of a directory that began before the tenant had proven its domain")
struct ProvisionedPeopleTests {
    private static let start = UnixTime(rawValue: 0)
    private static let person = UserID(rawValue: "44444444-4444-4444-8444-444444444444")

    private static func fixture(_ profile: FederatedProfile, domains: [String] = ["a.example"]) async throws -> (
        FederationFixture, Directory
    ) {
        // The connection was made while the server runs, and no one has vouched for its domain.
        let fixture = try await FederationFixture.start(
            profile, [], tenants: [Tenant(id: "T1", name: "A", createdAt: start)])
        let connection = Connection.scripted("acme", tenant: "T1", domains: domains)
        #expect(try await fixture.server.services.connections.save(connection, isNew: true) == .saved)
        return (fixture, try await Directory.of("T1", at: fixture.server))
    }

    private static func kim(_ subject: String = "k") -> FederatedProfile {
        var profile = FederatedProfile.person(subject, email: "kim@a.example")
        profile.isOfOneOrganisation = true
        return profile
    }

    private static func userID(_ fixture: FederationFixture, _ id: String) async throws -> UserID? {
        try await fixture.server.services.stores.provisioned.resource(id, .user, in: "T1")?.userID
    }

    private static func prove(_ fixture: FederationFixture) async throws {
        _ = try await Directory.of("T1", at: fixture.server, domains: ["a.example"])
    }

    private static let off: JSONValue = ["op": "replace", "path": "active", "value": false]

    @Test func `who signs in once the domain is proven is the directory's user, with the address as login ID`()
        async throws
    {
        let (fixture, directory) = try await Self.fixture(Self.kim())
        let id = try await directory.user("kim@a.example")
        #expect(try await fixture.server.account("kim@a.example") == nil, "no domain, no login ID")
        try await Self.prove(fixture)
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        let account = try #require(try await fixture.server.account("kim@a.example"))
        #expect(try await account.user.id == Self.userID(fixture, id))
        #expect(account.isEmailVerified)
        #expect(try await fixture.holder("k") == account.user.id)
        _ = try await directory.patch("/Users/\(id)", Self.off)
        #expect(try await fixture.server.account("kim@a.example")?.memberships.tenants.isEmpty == true)
        #expect(
            try await fixture.server.services.stores.sessions.sessions(
                of: account.user.id, limit: 10, at: fixture.server.clock.now
            ).isEmpty)
        await fixture.server.stop()
    }

    @Test(arguments: ["PATCH", "PUT", "DELETE"])
    func `an offboarding reaches the person who has an account of their own by then`(_ method: String) async throws {
        let (fixture, directory) = try await Self.fixture(Self.kim())
        let id = try await directory.user("kim@a.example", ["active": true])
        let ghost = try await Self.userID(fixture, id)
        try await Self.prove(fixture)
        // The person comes by an address that the directory did not have yet, and gets another account.
        let services = fixture.server.services
        let person = Self.person
        let email = try #require(Identifier(loginID: "kim@a.example"))
        var account = Account(
            user: User(id: person, createdAt: Self.start, updatedAt: Self.start), identifiers: [email: .verified],
            passwordHash: nil)
        account.set(.email, email.value, isVerified: true)
        account.memberships.tenants["T1"] = []
        try await services.stores.users.create(account)
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        #expect(try await fixture.holder("k") == person)
        #expect(ghost != person)
        func sessions() async throws -> Int {
            try await services.stores.sessions.sessions(of: person, limit: 10, at: fixture.server.clock.now).count
        }
        #expect(try await sessions() == 1)
        let answer =
            switch method {
            case "PATCH": try await directory.patch("/Users/\(id)", Self.off)
            case "PUT":
                try await directory.send("PUT", "/Users/\(id)", ["userName": "kim@a.example", "active": false])
            default: try await directory.send("DELETE", "/Users/\(id)")
            }
        #expect(answer.status < 300)
        let after = try #require(try await services.stores.users.account(person))
        #expect(after.memberships.tenants.isEmpty && after.user.status == .active)
        #expect(try await sessions() == 0)
        if let ghost { #expect(try await services.stores.users.account(ghost) == nil, "no account is left behind") }
        if method != "DELETE" { #expect(try await fixture.pass(fixture.server.browser()).page == "login") }
        await fixture.server.stop()
    }

    @Test func `all users are looked at again when the domain is proven, and roles of groups come along`() async throws
    {
        let (fixture, directory) = try await Self.fixture(Self.kim())
        let services = fixture.server.services
        try await services.stores.roles.create(
            Role(id: "crew", tenantID: "T1", name: "crew", permissions: [], createdAt: Self.start))
        let (kim, otto) = (try await directory.user("kim@a.example"), try await directory.user("otto@a.example"))
        let group = try await directory.group("Crew", members: [kim, otto])
        try await services.stores.provisionedGroups.map(group, in: "T1", to: "crew", at: fixture.server.clock.now)
        try await services.stores.users.create(
            Account(
                user: User(id: Self.person, createdAt: Self.start, updatedAt: Self.start),
                identifiers: [try #require(Identifier(loginID: "kim@a.example")): .verified], passwordHash: nil))
        func rejoin(_ domains: Set<String>) async throws -> Int {
            try await ProvisionedPeople(
                resources: services.stores.provisioned, users: services.stores.provisionedUsers, tenantID: "T1",
                caller: .machine(.command), provenDomains: domains, connections: []
            ).rejoinAll(at: fixture.server.clock.now)
        }
        #expect(try await rejoin([]) == 0)
        #expect(try await rejoin(["a.example"]) == 2)
        #expect(try await Self.userID(fixture, kim) == Self.person)
        let person = try #require(try await fixture.server.account("kim@a.example"))
        #expect(person.memberships.tenants["T1"] == ["crew"])
        let own = try #require(try await fixture.server.account("otto@a.example"))
        #expect(try await own.user.id == Self.userID(fixture, otto))
        #expect(own.isEmailVerified)
        #expect(try await rejoin(["a.example"]) == 0, "once is enough")
        await fixture.server.stop()
    }

    @Test func `an account that is in use gives way to no other, whatever address the directory writes`() async throws {
        let (fixture, directory) = try await Self.fixture(Self.kim())
        try await Self.prove(fixture)
        let kim = try await directory.user("kim@a.example")
        let eva = try await directory.user("eva@a.example")
        let before = try await (Self.userID(fixture, kim), Self.userID(fixture, eva))
        let answer = try await directory.patch(
            "/Users/\(kim)", ["op": "replace", "path": "emails", "value": [["value": "eva@a.example"]]])
        #expect(answer.status == 200)
        #expect(try await (Self.userID(fixture, kim), Self.userID(fixture, eva)) == before)
        await fixture.server.stop()
    }

    @Test func `an account that the tenant's provider knows by the external identifier is the directory's user`()
        async throws
    {
        let (fixture, directory) = try await Self.fixture(.person("ext-1", email: nil), domains: [])
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        let user = try #require(try await fixture.holder("ext-1"))
        let id = try await directory.user("kim", ["externalId": "ext-1"])
        #expect(try await Self.userID(fixture, id) == user)
        _ = try await directory.patch("/Users/\(id)", Self.off)
        #expect(try await fixture.pass(fixture.server.browser()).page == "login")
        await fixture.server.stop()
    }

    @Test func `an address in another form is a contact, and joins no account`() async throws {
        let (fixture, directory) = try await Self.fixture(Self.kim())
        try await Self.prove(fixture)
        try await fixture.server.services.stores.users.create(
            Account(
                user: User(id: Self.person, createdAt: Self.start, updatedAt: Self.start),
                identifiers: [try #require(Identifier(loginID: "kim@a.example")): .verified], passwordHash: nil))
        let id = try await directory.user("k1", ["emails": [["value": "\u{FF4B}im@a.example"]]])
        let user = try #require(try await Self.userID(fixture, id))
        #expect(user != Self.person)
        #expect(try await fixture.server.services.stores.users.account(user)?.identifiers.isEmpty == true)
        let free = try await directory.user("k2", ["emails": [["value": "\u{FF42}ob@a.example"]]])
        #expect(try await Self.userID(fixture, free) != nil)
        #expect(try await fixture.server.account("bob@a.example") == nil)
        await fixture.server.stop()
    }

    @Test func `of a user with a role in the console the directory changes the membership alone`() async throws {
        let (fixture, directory) = try await Self.fixture(Self.kim())
        try await Self.prove(fixture)
        let id = try await directory.user("kim@a.example", ["displayName": "Kim"])
        let user = try #require(try await Self.userID(fixture, id))
        try await fixture.makeOperator(user)
        let before = try #require(try await fixture.server.services.stores.users.account(user))
        _ = try await directory.patch(
            "/Users/\(id)", ["op": "replace", "path": "emails", "value": [["value": "alias@a.example"]]],
            ["op": "replace", "path": "displayName", "value": "Other"])
        var after = try #require(try await fixture.server.services.stores.users.account(user))
        #expect(after.identifiers == before.identifiers && after.user.claims == before.user.claims)
        _ = try await directory.patch("/Users/\(id)", Self.off)
        after = try #require(try await fixture.server.services.stores.users.account(user))
        #expect(after.user.status == .active && after.memberships.tenants.isEmpty)
        #expect(after.identifiers == before.identifiers)
        #expect(try await directory.send("DELETE", "/Users/\(id)").status == 204)
        #expect(try await fixture.server.services.stores.users.account(user) != nil)
        await fixture.server.stop()
    }
}
