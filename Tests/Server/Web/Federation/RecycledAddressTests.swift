import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("F-11: an address that another person has by now")
struct RecycledAddressTests {
    private static let tenant = Tenant(id: "T1", name: "A", createdAt: UnixTime(rawValue: 0))

    @Test(arguments: [nil, "T1"])
    func `a new subject with an old address gets no account of the old one, and no session`(_ tenant: String?)
        async throws
    {
        let fixture = try await FederationFixture.start(
            .person("old", email: "jane@a.example"),
            [.scripted("acme", tenant: tenant, domains: tenant == nil ? [] : ["a.example"])], tenants: [Self.tenant])
        let first = try await fixture.pass(fixture.server.browser())
        #expect(try FederationFixture.hasCode(first))
        let old = try #require(try await fixture.holder("old"))
        fixture.provider.says(.person("new", email: "jane@a.example"))
        let page = try await fixture.pass(fixture.server.browser())
        #expect(page.page == "login" && page.body.contains("to link Provider acme"))
        #expect(try await fixture.holder("new") == nil)
        #expect(try await fixture.holder("old") == old)
        fixture.provider.says(.person("old", email: "jane@a.example"))
        let again = try await fixture.pass(fixture.server.browser())
        #expect(try FederationFixture.hasCode(again), "the old identity remains")
        await fixture.server.stop()
    }

    @Test func `the owner of the account may connect the second identity`() async throws {
        let fixture = try await FederationFixture.start(.person("1", email: TestServer.username))
        _ = try await fixture.pass(fixture.server.browser())
        fixture.provider.says(.person("2", email: TestServer.username))
        let browser = fixture.server.browser()
        let done = try await fixture.server.complete(try await fixture.pass(browser), in: browser)
        #expect(try FederationFixture.hasCode(done))
        for subject in ["1", "2"] { #expect(try await fixture.holder(subject) == TestServer.subject) }
        await fixture.server.stop()
    }

    @Test func `an identity that was disconnected is remembered: another subject is asked as well`() async throws {
        let fixture = try await FederationFixture.start(.person("1", email: TestServer.username))
        _ = try await fixture.pass(fixture.server.browser())
        let ways = SignInWays(passwords: true, passkeys: false, reached: [.email], connections: [])
        let result = try await fixture.server.services.stores.identities.unlink(
            FederatedProfile.person("1").key(at: "acme"), of: TestServer.subject, leaving: ways,
            at: fixture.server.clock.now)
        #expect(result == .unlinked)
        fixture.provider.says(.person("2", email: TestServer.username))
        #expect(try await fixture.pass(fixture.server.browser()).page == "login")
        #expect(try await fixture.holder("2") == nil)
        await fixture.server.stop()
    }

    @Test func `an address that a user of the provider only claimed is its owner's; the other keeps the account`()
        async throws
    {
        let fixture = try await FederationFixture.start(.person("squatter", email: nil))
        _ = try await fixture.pass(fixture.server.browser())
        let squatter = try #require(try await fixture.holder("squatter"))
        let email = try #require(Identifier(loginID: "jane@provider.example"))
        _ = try await fixture.server.services.stores.users.change(squatter, at: fixture.server.clock.now) {
            $0.identifiers[email] = .unverified
            $0.set(.email, email.value, isVerified: false)
        }
        fixture.provider.says(.person("jane"))
        let end = try await fixture.pass(fixture.server.browser())
        #expect(try FederationFixture.hasCode(end))
        let jane = try #require(try await fixture.holder("jane"))
        #expect(jane != squatter)
        #expect(try await fixture.holder("squatter") == squatter)
        #expect(try await fixture.server.account("jane@provider.example")?.user.id == jane)
        let left = try #require(try await fixture.server.services.stores.users.account(squatter))
        #expect(left.identifiers.isEmpty && left.email == nil)
        await fixture.server.stop()
    }

    @Test func `a second entry of a directory with the same address is another person`() async throws {
        let fixture = try await DirectoryFixture.start()
        #expect(try await fixture.signsIn("jane@a.example"))
        let first = try await fixture.holder
        fixture.directory.add(
            .init(
                profile: DirectoryFixture.profile("other"), password: DirectoryFixture.password, names: ["other"]))
        let page = try await fixture.type("other")
        #expect(try TestServer.callback(page) == nil)
        let other = DirectoryFixture.profile("other").key(at: "staff")
        #expect(try await fixture.server.services.stores.identities.identity(other) == nil)
        #expect(try await fixture.holder == first)
        await fixture.server.stop()
    }

    @Test func `by the methods' wire neither`() async throws {
        let fixture = try await FederationFixture.start(.person("1", email: TestServer.username))
        _ = try await fixture.pass(fixture.server.browser())
        fixture.provider.says(.person("2", email: TestServer.username))
        let started = try await fixture.server.call(
            "oauth/authorize?provider=acme&redirectURL=https%3A%2F%2Fapp.example%2Fback", [:])
        let url = try #require(started.json["url"]?.stringValue)
        let browser = fixture.server.browser()
        let gone = try await browser.open(String(url.dropFirst(fixture.server.services.project.issuer.count)))
        let back = try await fixture.comeBack(browser, try FederationFixture.handle(gone))
        #expect(back.header("location") == "https://app.example/back?err=sign_in_required")
        #expect(try await fixture.holder("2") == nil)
        await fixture.server.stop()
    }
}
