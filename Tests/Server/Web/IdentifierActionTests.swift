import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Settings: login identifiers that an app has added or changed")
struct IdentifierActionTests {
    private static let new = "new@example.com"

    private func request(
        _ server: TestServer, _ action: String, idToken: String?, changing old: String? = nil
    ) -> AuthorizationRequest {
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.responseType = SettingsAction.responseType
        request.idTokenHint = idToken
        request.extra.append(SettingsAction.parameter, action)
        if let old {
            request.extra.append(
                SettingsAction.queryParameter, FormParameters([SettingsAction.loginID: old]).encoded)
        }
        return request
    }

    /// Opens the page of an action, and adds an address there.
    ///
    /// - Returns: the page for the code.
    private func add(
        _ address: String, _ server: TestServer, in browser: ScriptedBrowser, _ action: String,
        changing old: String? = nil
    ) async throws -> ScriptedBrowser.Screen {
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let page = try await server.authorize(
            request(server, action, idToken: idToken, changing: old), in: browser)
        #expect(page.page == "settings-identifiers")
        return try await server.send(page, in: browser, ["action": "add", "identifier": address])
    }

    private func isDone(_ screen: ScriptedBrowser.Screen) throws -> Bool {
        guard let response = try TestServer.callback(screen), case .code = response.outcome else { return false }
        return true
    }

    @Test(arguments: [("add_email", new), ("add_phone", "+15557654321")])
    func `91: an identifier is added, and the app waits for the code`(_ action: String, _ address: String)
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let asked = try await add(address, server, in: browser, action)
        #expect(asked.page == "code")
        #expect(try await server.account(address) == nil)
        let code = try #require(try await server.message(to: address).code)
        #expect(try isDone(try await server.send(asked, in: browser, ["code": code])))
        #expect(try await server.account(address)?.user.id == TestServer.subject)
        #expect(try await server.account(TestServer.username)?.user.id == TestServer.subject, "the first one stays")
        await server.stop()
    }

    @Test func `an address that was there already is none that was added`() async throws {
        let server = try await TestServer.start()
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.identifiers[Identifier(kind: .email, storedValue: Self.new)] = .unverified
        }
        let browser = server.browser()
        let asked = try await add(Self.new, server, in: browser, "add_email")
        let code = try #require(try await server.message(to: Self.new).code)
        let done = try await server.send(asked, in: browser, ["code": code])
        #expect(done.page == "settings-identifiers" && done.hasNotice)
        await server.stop()
    }

    @Test func `91: an address takes the place of the one that the app named`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let asked = try await add(Self.new, server, in: browser, "change_email", changing: TestServer.username)
        let code = try #require(try await server.message(to: Self.new).code)
        #expect(try isDone(try await server.send(asked, in: browser, ["code": code])))
        let account = try #require(try await server.account(Self.new))
        #expect(account.user.id == TestServer.subject && account.email == Self.new)
        #expect(try await server.account(TestServer.username) == nil)
        let told = try await server.services.messages.newest(limit: 20).map(\.message)
            .filter { $0.to == TestServer.username }
        #expect(told.contains { $0.kind == .addressChanged }, "the old one is told")
        await server.stop()
    }

    @Test func `what the app names is replaced only if it is the user's own`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let browser = server.browser()
        let asked = try await add(Self.new, server, in: browser, "change_email", changing: "bea@example.com")
        let code = try #require(try await server.message(to: Self.new).code)
        #expect(try isDone(try await server.send(asked, in: browser, ["code": code])))
        #expect(try await server.account("bea@example.com")?.user.id != TestServer.subject)
        #expect(try await server.account(TestServer.username)?.user.id == TestServer.subject)
        await server.stop()
    }

    @Test func `without the name a change is refused, and giving up is a cancel`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let refused = try await server.authorize(request(server, "change_email", idToken: idToken), in: browser)
        guard case .refused(let problem)? = try TestServer.callback(refused)?.outcome else {
            throw TestFailure("not refused")
        }
        #expect(problem.code == .invalidRequest)
        let asked = try await add("+15557654321", server, in: browser, "change_phone", changing: "+15551234567")
        let back = try await server.send(asked, in: browser, ["action": "deny"])
        guard case .refused(let cancel)? = try TestServer.callback(back)?.outcome else {
            throw TestFailure("not refused")
        }
        #expect(cancel.code.rawValue == "cancel")
        await server.stop()
    }
}
