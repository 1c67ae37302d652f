import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Landing on a link that leads nowhere, or to another address")
struct HostedLandingTests {
    /// A link by the wire, of which no window here knows anything.
    private func link(_ server: TestServer) async throws -> String {
        let sent = try await server.call("magiclink/signin/email", ["loginId": .string(TestServer.username)])
        #expect(sent.status == 200)
        return try #require(try await server.message(to: TestServer.username).links.first)
    }

    /// Somebody who is signed in asks for a link to another address.
    private func addressLink(_ server: TestServer, to address: String, path: String = "magiclink") async throws
        -> (link: String, session: SessionAnswer, answer: EndpointAnswer)
    {
        let session = try await server.session()
        let answer = try await server.call(
            "\(path)/update/email",
            [
                "loginId": .string(TestServer.username), "email": .string(address), "addToLoginIDs": true,
                "onMergeUseExisting": false,
            ], refresh: session.refreshJWT?.exposed())
        #expect(answer.status == 200)
        var links = try await server.message(to: address).links
        if let number = answer.json["linkId"]?.stringValue {
            let numbers = try await server.message(to: address).values[MessageValue.linkIDs]?.split(separator: " ")
            links = [links[try #require(numbers?.firstIndex { $0 == number })]]
        }
        return (try #require(links.first), session, answer)
    }

    /// Nothing is changed: who opened the link may not be who asked for it.
    private func expectUnchanged(_ address: String, _ server: TestServer) async throws {
        let account = try #require(try await server.account(TestServer.username))
        #expect(account.email == TestServer.username)
        #expect(try await server.account(address) == nil)
    }

    @Test func `88: used, too old and unknown are told apart, and none of them has a button that confirms`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let used = try await link(server)
        let landing = try await browser.open(used)
        let done = try await browser.submit(landing, ["action": "continue"])
        #expect(done.page != "link" && browser.cookieJar["keyturn-session"] != nil)
        let again = try await browser.open(used)
        #expect(again.page == "link" && again.status == 200 && again.body.contains("This link was already used"))
        #expect(again.body.contains("href=\"/settings/sessions\""))
        let late = try await link(server)
        let open = try await browser.open(late)
        server.clock.advance(Limits.proofSeconds)
        let expired = try await browser.open(late)
        #expect(expired.page == "link" && expired.body.contains("This link has expired"))
        let posted = try await browser.submit(open, ["action": "continue"])
        #expect(posted.page == "link" && posted.status == 422 && posted.body.contains("This link has expired"))
        let unknown = try await browser.open("/link?t=\(String(repeating: "A", count: 43))")
        let broken = try await browser.open("/link?t=\(late.suffix(20))")
        for page in [unknown, broken] {
            #expect(page.page == "link" && page.body.contains("This link doesn’t work"))
        }
        for page in [again, expired, posted, unknown] { #expect(page.hasProblem && !page.body.contains("name=\"t\"")) }
        server.clock.advance(Limits.linkMemorySeconds)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 100, at: server.clock.now)
        #expect(try await browser.open(used).body.contains("This link doesn’t work"))
        await server.stop()
    }

    @Test func `a link that is too old leads back to what was begun in this browser, and nowhere in another`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.askForLink(browser)
        let link = try #require(try await server.message(to: TestServer.username).links.first)
        server.clock.advance(Limits.proofSeconds)
        #expect(try await browser.open(link).body.contains("href=\"/login?transaction="))
        #expect(try await !server.browser().open(link).body.contains("href=\"/login"))
        await server.stop()
    }

    @Test func `91: another address is not taken over by whoever opens its link elsewhere`() async throws {
        let server = try await TestServer.start()
        let (link, _, _) = try await addressLink(server, to: "new@example.com")
        let browser = server.browser()
        let page = try await browser.open(link)
        #expect(page.page == "link" && page.body.contains("Is this your address?"))
        #expect(page.body.contains("new@example.com") && !page.body.contains(TestServer.username))
        #expect(page.body.contains("class=\"warning\""), "it was not asked for here")
        #expect(try await server.account("new@example.com") == nil)
        let done = try await browser.submit(page, ["action": "continue"])
        #expect(done.page == "link" && done.status == 422 && done.body.contains("This did not work"))
        #expect(browser.cookieJar["keyturn-session"] == nil)
        try await expectUnchanged("new@example.com", server)
        let again = try await browser.submit(page, ["action": "continue"])
        #expect(again.page == "link" && again.status == 422 && again.body.contains("was already used"))
        await server.stop()
    }

    @Test func `another address is refused by whoever did not ask for it`() async throws {
        let server = try await TestServer.start()
        let (link, _, _) = try await addressLink(server, to: "victim@example.com")
        let browser = server.browser()
        let refused = try await browser.submit(try await browser.open(link), ["action": "deny"])
        #expect(refused.page == "done" && refused.body.contains("Nothing was changed"))
        #expect(try await browser.open(link).body.contains("was already used"))
        #expect(try await server.account("victim@example.com") == nil)
        await server.stop()
    }

    @Test func `the owner, signed in here, is not warned of somebody else`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        #expect(try await server.visit("/settings", in: browser).page == "settings")
        let (link, _, _) = try await addressLink(server, to: "new@example.com")
        #expect(try await !browser.open(link).body.contains("class=\"warning\""))
        await server.stop()
    }

    @Test func `a session that is over takes no address, and the page says so`() async throws {
        let server = try await TestServer.start()
        let (link, session, _) = try await addressLink(server, to: "new@example.com")
        #expect(try await server.method("logout", session.refreshJWT?.exposed()).status == 200)
        let browser = server.browser()
        let page = try await browser.submit(try await browser.open(link), ["action": "continue"])
        #expect(page.status == 422 && page.page == "link" && page.body.contains("This did not work"))
        #expect(try await server.account("new@example.com") == nil)
        await server.stop()
    }

    @Test func `92: another person's address is not taken over by a click`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let (link, _, _) = try await addressLink(server, to: "bea@example.com")
        let browser = server.browser()
        let page = try await browser.submit(try await browser.open(link), ["action": "continue"])
        #expect(page.status == 422 && page.body.contains("This did not work"))
        #expect(try await server.account("bea@example.com")?.user.id != TestServer.subject)
        await server.stop()
    }

    @Test func `an enchanted link to another address changes nothing, and the app that waits gets nothing`()
        async throws
    {
        let server = try await TestServer.start()
        let (link, _, answer) = try await addressLink(server, to: "new@example.com", path: "enchantedlink")
        let browser = server.browser()
        let done = try await browser.submit(try await browser.open(link), ["action": "continue"])
        #expect(done.page == "link" && done.status == 422 && done.body.contains("This did not work"))
        let reference = try #require(answer.json["pendingRef"])
        let waited = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect(waited.status != 200 && waited.refreshJWT == nil)
        try await expectUnchanged("new@example.com", server)
        await server.stop()
    }
}
