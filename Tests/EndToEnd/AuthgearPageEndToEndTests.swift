import Identity
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Synchronization
import Testing

@testable import Keyturn

@Suite("End to end: Authgear's scenarios at our server: pages, and other apps")
struct AuthgearPageEndToEndTests {
    private let callback = AuthgearApps.callback

    @Test func `12: settings open signed in, and closing them is no error, but the end of a change`() async throws {
        let apps = try await AuthgearApps.start()
        _ = try await apps.signedIn()
        let sheet = EmptySheet(apps.server)
        let auth = apps.app(browser: sheet)
        try await auth.settings.open()
        try await auth.settings.open(.identifiers, uiLocales: ["de"], colorScheme: .dark)
        try await auth.settings.open(.sessions)
        #expect(sheet.pages.withLock { $0 } == ["settings", "settings-identifiers", "settings-sessions"])
        await #expect(throws: AuthError(.cancelled, "")) {
            try await auth.settings.changePassword(redirectURI: callback)
        }
        let button = apps.app(browser: EmptySheet(apps.server, [("action", "deny")]))
        await #expect(throws: AuthError(.cancelled, "")) {
            try await button.settings.changePassword(redirectURI: callback)
        }
        #expect(await auth.state.isSignedIn)
        await apps.server.stop()
    }

    @Test func `a password is changed, and the session goes on`() async throws {
        let apps = try await AuthgearApps.start()
        _ = try await apps.signedIn()
        let sheet = EmptySheet(
            apps.server, [("current_password", TestServer.password), ("password", "a-longer-and-better-one")])
        let auth = apps.app(browser: sheet)
        try await auth.settings.changePassword(redirectURI: callback)
        #expect(sheet.pages.withLock { $0 } == ["settings-password"])
        #expect(apps.network.take().suffix(2) == ["id-token", "settings-action"])
        let check = try await apps.server.services.signIn.check(
            loginID: TestServer.username, password: Secret("a-longer-and-better-one"), from: nil)
        guard case .recognised = check else { throw TestFailure("the new password is not good: \(check)") }
        apps.server.clock.advance(3_600)
        _ = try await auth.accessToken()
        await apps.server.stop()
    }

    @Test func `13: an account is deleted, and no user is signed in`() async throws {
        let apps = try await AuthgearApps.start()
        _ = try await apps.signedIn()
        let auth = apps.app(browser: EmptySheet(apps.server, [("action", "delete"), ("confirm", "true")]))
        try await auth.start()
        var changes = auth.changes.makeAsyncIterator()
        try await auth.settings.deleteAccount(redirectURI: callback)
        #expect(await auth.state == .signedOut)
        var last = await changes.next()
        while let change = last, change.state.isSignedIn { last = await changes.next() }
        #expect(last?.state == .signedOut)
        #expect(try await apps.app().start() == .signedOut)
        #expect(try await apps.server.services.stores.users.account(TestServer.subject) == nil)
        await apps.server.stop()
    }

    /// Opens a page with an address that the app made, and then asks as the page does while it loads.
    private func load(_ url: String, _ apps: AuthgearApps) async throws -> AuthorizationResponse.Outcome {
        let browser = apps.server.browser()
        let opened = try await browser.open(String(url.dropFirst(apps.server.issuer.count)))
        #expect(opened.header("location") == AuthgearApps.page + "?state=s1")
        let web = try #require(apps.server.services.clients.client("web"))
        var request = apps.server.request(web, proof: PKCE(ambient: .live))
        request.prompt = "none"
        request.scope = "openid email"
        return try #require(try TestServer.callback(try await apps.server.authorize(request, in: browser))).outcome
    }

    @Test func `19: a page of a web application opens signed in, once for each address`() async throws {
        let apps = try await AuthgearApps.start()
        let auth = try await apps.signedIn(opensPages: true)
        for _ in 0..<2 {
            apps.server.clock.advance(1_000)
            let before = await auth.keeper.machine.record
            let url = try await auth.preAuthenticatedURL(opening: AuthgearApps.page, as: "web", state: "s1")
            let stored = try SessionRecord(try #require(await record(apps, auth)))
            #expect(stored.deviceSecret != nil && stored.idToken?.compact != before?.idToken?.compact)
            guard case .code = try await load(url, apps) else { throw TestFailure("the page is not signed in") }
            guard case .refused(let problem) = try await load(url, apps) else { throw TestFailure("it counts again") }
            #expect(problem.code == .loginRequired)
        }
        await apps.server.stop()
    }

    @Test func `19: and the four reasons why one does not`() async throws {
        let apps = try await AuthgearApps.start()
        func why(_ auth: Keyturn) async throws -> AuthError.Code? {
            let error = await #expect(throws: AuthError.self) {
                try await auth.preAuthenticatedURL(opening: AuthgearApps.page, as: "web")
            }
            return error?.code
        }
        let plain = try await apps.signedIn("plain")
        #expect(try await why(plain) == .unsupported, "the app did not ask for it")
        #expect(try await why(apps.app("plain", opensPages: true)) == .preAuthenticatedURLSecret, "it signed in before")
        #expect(try await why(apps.app("new", opensPages: true)) == .signedOut)

        let auth = try await apps.signedIn(opensPages: true)
        var record = try #require(await auth.keeper.machine.record)
        let whole = record
        record.idToken = nil
        record.generation = record.generation.next
        _ = try await apps.store.write(record.stored, for: auth.name, when: .always)
        #expect(try await why(apps.app(opensPages: true)) == .preAuthenticatedURLIDToken)
        #expect(whole.scope.contains(AuthgearNames.preAuthenticatedURL))

        // A client that shares sign-ins, and may not open pages.
        let narrow = try await AuthgearApps.start(scopes: [AuthgearNames.deviceSSO])
        #expect(try await why(try await narrow.signedIn(opensPages: true)) == .preAuthenticatedURLScope)
        for one in [apps, narrow] { await one.server.stop() }
    }

    private func record(_ apps: AuthgearApps, _ auth: Keyturn) async -> StoredRecord? {
        guard case .found(let record) = await apps.store.read(auth.name) else { return nil }
        return record
    }

    /// Keeps the link that an app opens.
    private final class Opener: AppLinkOpener {
        private let link = Mutex("")
        var last: String { link.withLock { $0 } }
        func open(_ link: String) async throws(AuthError) { self.link.withLock { $0 = link } }
    }

    @Test func `an app of this profile is signed in by another app, and declined by it`() async throws {
        let apps = try await AuthgearApps.start()
        let clock = apps.server.clock
        let bank = Keyturn(
            .keyturn(issuer: apps.server.issuer, clientID: "bank"), storage: .memory,
            browser: PersonAtBrowser(browser: apps.server.browser()), transport: apps.network, ambient: clock.ambient)
        try await bank.authorize(redirectURI: callback)
        let shop = apps.app("shop", clientID: "shop")
        let (endpoint, back) = ("https://bank.example/app2app", "https://shop.example/back")
        let opener = Opener()
        for isApproved in [false, true] {
            let link = try await shop.appToApp.start(opening: endpoint, redirectURI: back)
            let request = try #require(AppToAppRequest(url: link, authorizationEndpoint: endpoint))
            guard isApproved else {
                try await bank.appToApp.reject(request, with: opener)
                await #expect(throws: AuthError(.cancelled, "")) {
                    try await shop.appToApp.finish(callbackURL: opener.last)
                }
                continue
            }
            try await bank.appToApp.approve(request, with: opener)
            let result = try await shop.appToApp.finish(callbackURL: opener.last)
            #expect(result.userInfo.subject == TestServer.subject.rawValue)
        }
        clock.advance(3_600)
        _ = try await shop.accessToken()
        try await bank.logout()
        clock.advance(3_600)
        await #expect(throws: AuthError.self) { try await shop.accessToken() }
        #expect(await !shop.state.isSignedIn)
        await apps.server.stop()
    }
}
