import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Guests and contractors, with an address outside their organisation's domains")
struct GuestTests {
    private static func start(_ profile: FederatedProfile) async throws -> (FederationFixture, Directory) {
        let fixture = try await FederationFixture.start(
            profile, [.scripted("acme", tenant: "T1", domains: ["a.example"])],
            tenants: [Tenant(id: "T1", name: "A", createdAt: UnixTime(rawValue: 0))])
        return (fixture, try await Directory.of("T1", at: fixture.server))
    }

    private static func guest(_ subject: String = "s-1", name: String? = nil) -> FederatedProfile {
        var profile = FederatedProfile.person(subject, email: "kim@gmail.example")
        profile.isOfOneOrganisation = true
        if let name { profile.claims["preferred_username"] = .string(name) }
        return profile
    }

    @Test func `a guest is refused until the organisation's directory has them`() async throws {
        let (fixture, directory) = try await Self.start(Self.guest())
        let refused = try await fixture.pass(fixture.server.browser())
        #expect(refused.page == "login" && refused.body.contains("does not belong to your organisation"))
        _ = try await directory.user("kim@gmail.example")
        let end = try await fixture.pass(fixture.server.browser())
        #expect(try FederationFixture.hasCode(end))
        let user = try #require(try await fixture.holder("s-1"))
        let account = try #require(try await fixture.server.services.stores.users.account(user))
        #expect(account.memberships.tenants["T1"] != nil && account.identifiers.isEmpty)
        #expect(account.email == "kim@gmail.example" && !account.isEmailVerified, "a contact")
        await fixture.server.stop()
    }

    @Test(arguments: ["externalId", "userName", "emails", "preferred_username"])
    func `the directory's user is found by each name that both sides have`(_ name: String) async throws {
        let (fixture, directory) = try await Self.start(Self.guest("S-1", name: "KIM.K"))
        let id =
            switch name {
            case "externalId": try await directory.user("someone", ["externalId": "S-1"])
            case "userName": try await directory.user("Kim@gmail.example")
            case "emails":
                try await directory.user("someone", ["emails": [["value": "KIM@gmail.example", "type": "work"]]])
            default: try await directory.user("kim.k")
            }
        let end = try await fixture.pass(fixture.server.browser())
        #expect(try FederationFixture.hasCode(end))
        let user = try await fixture.server.services.stores.provisioned.resource(id, .user, in: "T1")?.userID
        #expect(try await fixture.holder("S-1") == user && user != nil)
        await fixture.server.stop()
    }

    @Test func `who left is refused, and so is the next one with the same name`() async throws {
        let (fixture, directory) = try await Self.start(Self.guest())
        let id = try await directory.user("kim@gmail.example")
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        fixture.provider.says(Self.guest("s-2"))
        #expect(try await fixture.pass(fixture.server.browser()).page == "login")
        #expect(try await fixture.holder("s-2") == nil, "another person's")
        fixture.provider.says(Self.guest())
        _ = try await directory.patch("/Users/\(id)", ["op": "replace", "path": "active", "value": false])
        let off = try await fixture.pass(fixture.server.browser())
        #expect(off.page == "login" && off.body.contains("This account can’t sign in."))
        await fixture.server.stop()
    }

    @Test func `a provider of many organisations, and the directory of another tenant, let no one in`() async throws {
        var profile = Self.guest()
        profile.isOfOneOrganisation = false
        let (fixture, directory) = try await Self.start(profile)
        _ = try await directory.user("kim@gmail.example", ["externalId": "s-1"])
        #expect(try await fixture.pass(fixture.server.browser()).page == "login")
        #expect(try await fixture.holder("s-1") == nil)
        await fixture.server.stop()

        let (second, _) = try await Self.start(Self.guest())
        _ = try await Directory.of("T2", at: second.server).user("kim@gmail.example", ["externalId": "s-1"])
        #expect(try await second.pass(second.server.browser()).page == "login")
        #expect(try await second.holder("s-1") == nil)
        await second.server.stop()
    }
}
