import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("A provider's word about a user with a role in the console")
struct OperatorIdentityTests {
    @Test func `no provider's word links such a user: the owner signs in`() async throws {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username))
        try await fixture.makeOperator(TestServer.subject, .owner)
        let browser = fixture.server.browser()
        let page = try await fixture.pass(browser)
        #expect(page.page == "login" && page.body.contains("to link Provider acme"))
        #expect(try await fixture.holder() == nil)
        let done = try await fixture.server.complete(page, in: browser)
        #expect(try FederationFixture.hasCode(done))
        #expect(try await fixture.holder() == TestServer.subject)
        await fixture.server.stop()
    }

    @Test func `a provider's second factor does not replace the user's own`() async throws {
        var connection = Connection.scripted()
        connection.strongContexts = ["mfa"]
        var profile = FederatedProfile.person(email: TestServer.username)
        profile.methods = ["mfa"]
        let fixture = try await FederationFixture.start(profile, [connection])
        _ = try await fixture.server.giveAuthenticator()
        #expect(try FederationFixture.hasCode(try await fixture.pass(fixture.server.browser())))
        try await fixture.makeOperator(TestServer.subject)
        let page = try await fixture.pass(fixture.server.browser())
        #expect(try !FederationFixture.hasCode(page), "the code of the authenticator is asked for")
        let account = try #require(try await fixture.server.account(TestServer.username))
        #expect(!connection.vouchesForTwoFactors(profile, of: account))
        await fixture.server.stop()
    }

    @Test func `no role outside a tenant comes or goes`() async throws {
        let server = try await TestServer.start()
        let services = server.services
        try await services.stores.roles.create(
            Role(id: "admin", tenantID: nil, name: "admin", permissions: [], createdAt: UnixTime(rawValue: 0)))
        try await services.directory.reload()
        var connection = Connection.scripted()
        connection.roles = ["admins": "admin"]
        func sign(_ groups: [String]) async throws -> Account {
            guard
                case .user(let account, _) = try await services.federation.complete(
                    .person(groups: groups), at: connection, from: nil)
            else { throw TestFailure("refused") }
            return account
        }
        let user = try await sign([]).user.id
        _ = try await services.stores.consoleOperators.set(
            .viewer, of: user, by: "test", keepingOwner: false, at: server.clock.now)
        #expect(try await sign(["admins"]).memberships.roles == [])
        await server.stop()
    }
}
