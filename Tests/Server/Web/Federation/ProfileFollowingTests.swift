import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Names and addresses that change at a provider")
struct ProfileFollowingTests {
    private static let tenants = ["T1", "T2"].map { Tenant(id: $0, name: $0, createdAt: UnixTime(rawValue: 0)) }

    private static func profile(_ name: String, _ email: String?, _ subject: String = "jane") -> FederatedProfile {
        var profile = FederatedProfile.person(subject, email: email)
        profile.claims = ["name": .string(name), "family_name": .string(String(name.split(separator: " ").last ?? ""))]
        return profile
    }

    /// A server whose tenant's connection has two proven domains, and Jane, who signed in there.
    private static func start(_ tenant: String? = "T1") async throws -> (FederationFixture, UserID) {
        let domains = tenant == nil ? [] : ["a.example", "b.example"]
        let fixture = try await FederationFixture.start(
            profile("Jane Doe", "jane@a.example"), [.scripted("acme", tenant: tenant, domains: domains)],
            tenants: tenants)
        _ = try await fixture.pass(fixture.server.browser())
        return (fixture, try #require(try await fixture.holder("jane")))
    }

    private static func sign(_ fixture: FederationFixture, _ profile: FederatedProfile) async throws -> Account {
        fixture.provider.says(profile)
        let end = try await fixture.pass(fixture.server.browser())
        #expect(try FederationFixture.hasCode(end), "\(end.page ?? "none")")
        let user = try #require(try await fixture.holder(profile.subject))
        return try #require(try await fixture.server.services.stores.users.account(user))
    }

    @Test func `an organisation's provider changes the name, and the address within its domains; the user is told`()
        async throws
    {
        let (fixture, user) = try await Self.start()
        let after = try await Self.sign(fixture, Self.profile("Jane Smith", "jane.smith@b.example"))
        #expect(after.user.id == user && after.user.displayName == "Jane Smith")
        #expect(after.user.claims["family_name"] == "Smith")
        let new = try #require(Identifier(loginID: "jane.smith@b.example"))
        #expect(after.identifiers == [new: .verified] && after.email == new.value && after.isEmailVerified)
        #expect(try await fixture.server.account("jane@a.example") == nil, "the old one is free")
        #expect(try await fixture.server.audited().contains("profile.changed"))
        let told = try await fixture.server.messages(.addressChanged).map(\.to)
        #expect(told.contains("jane@a.example"))
        // A new person gets the old address, and an account of their own.
        let other = try await Self.sign(fixture, Self.profile("Jane New", "jane@a.example", "new"))
        #expect(other.user.id != user)
        await fixture.server.stop()
    }

    @Test func `F-12: a provider of the whole project fills in what is missing, and changes nothing`() async throws {
        let (fixture, _) = try await Self.start(nil)
        let after = try await Self.sign(fixture, Self.profile("Jane Smith", "jane.smith@b.example"))
        #expect(after.user.displayName == "Jane Doe" && after.email == "jane@a.example")
        await fixture.server.stop()
    }

    @Test func `an address outside the proven domains, untrusted or in another form moves nothing`() async throws {
        let (fixture, _) = try await Self.start()
        var untrusted = Self.profile("Jane Doe", "jane.smith@a.example")
        untrusted.emailTrust = .verified
        for profile in [
            Self.profile("Jane Doe", "jane@gmail.com"), Self.profile("Jane Doe", nil), untrusted,
            Self.profile("Jane Doe", "\u{FF4A}ane.smith@a.example"),
        ] {
            #expect(try await Self.sign(fixture, profile).email == "jane@a.example", "\(profile.email ?? "none")")
        }
        await fixture.server.stop()
    }

    @Test func `another account's address is never taken, and the old one is verified no longer`() async throws {
        let (fixture, user) = try await Self.start()
        let other = try await Self.sign(fixture, Self.profile("Kim", "kim@a.example", "kim"))
        let after = try await Self.sign(fixture, Self.profile("Jane Doe", "kim@a.example"))
        #expect(after.user.id == user && after.user.id != other.user.id && !after.isEmailVerified)
        let old = try #require(Identifier(loginID: "jane@a.example"))
        #expect(after.identifiers == [old: .unverified])
        #expect(try await fixture.server.account("kim@a.example")?.user.id == other.user.id)
        await fixture.server.stop()
    }

    @Test func `an address of the user's own stays`() async throws {
        let (fixture, user) = try await Self.start()
        let own = try #require(Identifier(loginID: "jane@home.example"))
        _ = try await fixture.server.services.stores.users.change(user, at: fixture.server.clock.now) {
            $0.identifiers[own] = .verified
            $0.set(.email, own.value, isVerified: true)
        }
        let after = try await Self.sign(fixture, Self.profile("Jane Doe", "jane.smith@a.example"))
        let new = try #require(Identifier(loginID: "jane.smith@a.example"))
        #expect(after.identifiers == [own: .verified, new: .verified] && after.email == own.value)
        await fixture.server.stop()
    }

    @Test func `a user of two organisations, or who connected their own account, keeps the name`() async throws {
        let (fixture, user) = try await Self.start()
        _ = try await fixture.server.services.stores.users.change(user, at: fixture.server.clock.now) {
            $0.memberships.tenants["T2"] = []
        }
        let after = try await Self.sign(fixture, Self.profile("Jane Smith", "jane.smith@a.example"))
        #expect(after.user.displayName == "Jane Doe" && after.email == "jane@a.example")
        await fixture.server.stop()

        let domain = String(TestServer.username.drop { $0 != "@" }.dropFirst())
        let own = try await FederationFixture.start(
            Self.profile("Not Me", TestServer.username), [.scripted("acme", tenant: "T1", domains: [domain])],
            tenants: Self.tenants)
        let before = try #require(try await own.server.account(TestServer.username)).user.displayName
        let browser = own.server.browser()
        let done = try await own.server.complete(try await own.pass(browser), in: browser)
        #expect(try FederationFixture.hasCode(done))
        #expect(try await own.holder("jane") == TestServer.subject)
        let kept = try await Self.sign(own, Self.profile("Not Me Either", TestServer.username))
        #expect(kept.user.displayName == before && before != "Not Me")
        await own.server.stop()
    }

    @Test func `a user with a role in the console keeps name and address, whatever the provider says`() async throws {
        let (fixture, user) = try await Self.start()
        try await fixture.makeOperator(user)
        let after = try await Self.sign(fixture, Self.profile("Jane Smith", "jane.smith@a.example"))
        #expect(after.user.displayName == "Jane Doe" && after.email == "jane@a.example")
        await fixture.server.stop()
    }
}
