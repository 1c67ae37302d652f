import Identity
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Keyturn

@Suite("End to end: Authgear's scenarios at our server: sessions")
struct AuthgearSessionEndToEndTests {
    private let callback = AuthgearApps.callback

    @Test func `1, 2: nothing is stored, and then a session that renews itself once`() async throws {
        let apps = try await AuthgearApps.start()
        let empty = apps.app()
        var changes = empty.changes.makeAsyncIterator()
        #expect(try await empty.start() == .signedOut)
        #expect(await changes.next() == SessionChange(.signedOut, .nothingStored))
        _ = try await apps.signedIn()
        apps.server.clock.advance(3_600)
        _ = apps.network.take()
        let auth = apps.app()
        #expect(try await auth.start().isSignedIn)
        #expect(await auth.canReauthenticate)
        #expect(apps.network.take().isEmpty, "without a network")
        #expect(try await auth.userInfo().subject == TestServer.subject.rawValue)
        #expect(apps.network.take() == ["refresh_token"])
        #expect(await auth.idToken != nil)
        await apps.server.stop()
    }

    @Test func `3: a refresh that is refused ends the session, and leaves the biometric key`() async throws {
        let apps = try await AuthgearApps.start()
        let auth = try await apps.signedIn()
        try await auth.biometrics.enable(AuthgearApps.prompt)
        _ = try await apps.server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .administrator, at: apps.server.clock.now)
        apps.server.clock.advance(3_600)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        #expect(await auth.state == .ended(.refused))
        #expect(try await apps.app().start() == .ended(.refused))
        #expect(try await auth.biometrics.isEnabled())
        await apps.server.stop()
    }

    @Test func `5, 6: a token is not renewed before it must be, and then once for ten callers`() async throws {
        let apps = try await AuthgearApps.start()
        let auth = try await apps.signedIn()
        let record = try #require(await auth.keeper.machine.record)
        let lifetime = try #require(record.expiresAt).seconds(since: record.obtainedAt)
        _ = apps.network.take()
        apps.server.clock.advance(lifetime - max(60, lifetime / 10) - 1)
        _ = try await auth.accessToken()
        #expect(apps.network.take().isEmpty)
        apps.server.clock.advance(lifetime)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await auth.accessToken() } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(apps.network.take() == ["refresh_token"])
        await apps.server.stop()
    }

    @Test func `7, 8: a sign-in on the page ends the biometric key, and so does the server`() async throws {
        let apps = try await AuthgearApps.start()
        let auth = try await apps.signedIn()
        try await auth.biometrics.enable(AuthgearApps.prompt)
        try await auth.authorize(redirectURI: callback)
        #expect(try await !auth.biometrics.isEnabled())
        #expect(await apps.sensor.keyNames.isEmpty)
        try await auth.biometrics.enable(AuthgearApps.prompt)
        let keys = apps.server.services.stores.biometrics
        for key in try await keys.keys(of: TestServer.subject) {
            _ = try await keys.remove(key.id, of: TestServer.subject, at: apps.server.clock.now)
        }
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await auth.biometrics.authenticate(AuthgearApps.prompt)
        }
        #expect(try await !auth.biometrics.isEnabled())
        #expect(await auth.state.isSignedIn)
        await apps.server.stop()
    }

    @Test func `14: offline, a logout fails and changes nothing, and a forced one succeeds`() async throws {
        let apps = try await AuthgearApps.start()
        let auth = try await apps.signedIn()
        apps.network.cut(true)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.logout() }
        #expect(await auth.state.isSignedIn)
        var changes = auth.changes.makeAsyncIterator()
        try await auth.logout(force: true)
        var change = await changes.next()
        while let seen = change, seen.state.isSignedIn { change = await changes.next() }
        #expect(change == SessionChange(.signedOut, .signedOut))
        apps.network.cut(false)
        #expect(try await apps.app().start() == .signedOut)
        await apps.server.stop()
    }

    @Test func `15, 16: two names share nothing, and what is in memory ends with the process`() async throws {
        let apps = try await AuthgearApps.start()
        let work = try await apps.signedIn("work")
        try await work.biometrics.enable(AuthgearApps.prompt)
        #expect(try await apps.app("home").start() == .signedOut)
        #expect(try await !apps.app("home").biometrics.isEnabled())
        #expect(try await apps.app("work").start().isSignedIn)
        #expect(try await apps.app("work").biometrics.isEnabled())
        let transient = apps.app("short", storage: .memory)
        try await transient.authorize(redirectURI: callback)
        #expect(await transient.state.isSignedIn)
        #expect(try await apps.app("short", storage: .memory).start() == .signedOut)
        #expect(try await apps.app("short").start() == .signedOut)
        await apps.server.stop()
    }

    /// Changes the URL that the browser comes back with.
    private struct Bent: BrowserAgent {
        let inner: PersonAtBrowser
        let bend: @Sendable (String) -> String

        func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            Session(inner: try await inner.prepare(redirectURI: redirectURI), bend: bend)
        }

        struct Session: WebAuthenticationSession {
            let inner: any WebAuthenticationSession
            let bend: @Sendable (String) -> String
            var redirectURI: String { inner.redirectURI }
            func open(_ url: String, state: String) async throws(AuthError) -> String {
                bend(try await inner.open(url, state: state))
            }
            func close() async { await inner.close() }
        }
    }

    @Test func `18: a callback of a user who gave up, with another state, and without a code`() async throws {
        let apps = try await AuthgearApps.start()
        let browser = apps.server.browser()
        let declining = apps.app(browser: PersonAtBrowser(browser: browser, conduct: .givesUp))
        await #expect(throws: AuthError(.cancelled, "")) { try await declining.authorize(redirectURI: callback) }
        let invalid = apps.app(browser: PersonAtBrowser(browser: browser))
        let refused = await #expect(throws: AuthError.self) {
            try await invalid.authorize(redirectURI: callback, prompt: Prompt.none)
        }
        #expect(refused?.code == .interactionRequired && refused?.server?.code == "login_required")
        for bend: @Sendable (String) -> String in [
            { $0.replacing("state=", with: "state=x") }, { $0.replacing("code=", with: "kode=") },
            { $0.replacing("/callback", with: "/other") },
        ] {
            let auth = apps.app(browser: Bent(inner: PersonAtBrowser(browser: apps.server.browser()), bend: bend))
            await #expect(throws: AuthError(.callbackMismatch, "")) { try await auth.authorize(redirectURI: callback) }
        }
        #expect(apps.network.take().isEmpty, "no code was handed in")
        await apps.server.stop()
    }

    @Test func `20: a refresh proves the key of the sign-in`() async throws {
        let apps = try await AuthgearApps.start()
        let auth = try await apps.signedIn()
        let grants = try await apps.server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: apps.server.clock.now)
        let thumbprint = try #require(await auth.keeper.machine.record?.keyThumbprint)
        #expect(grants.map(\.keyThumbprint) == [thumbprint])
        _ = try await auth.forceRefresh()
        try await auth.deviceKeys.removeKey(auth.name)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.forceRefresh() }
        #expect(await auth.state == .ended(.deviceKeyLost))
        await apps.server.stop()
    }
}
