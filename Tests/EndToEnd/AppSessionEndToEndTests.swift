import Identity
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import Keyturn

@Suite("End to end: pages of the settings open in the app's session")
struct AppSessionEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    private func app(
        _ server: TestServer, _ browser: any BrowserAgent, _ store: MemoryStore, clientID: String = "tool",
        device: SoftwareBiometrics? = nil
    ) -> Keyturn {
        let clock = server.clock
        return Keyturn(
            .keyturn(issuer: server.issuer, clientID: clientID, projectID: server.services.project.id),
            storage: .custom(store), browser: browser, biometricDevice: device, transport: DatedTransport(clock),
            ambient: Ambient(
                clock: { clock.now }, uptime: { clock.now.rawValue }, entropy: { Ambient.live.randomBytes($0) }))
    }

    /// The pages that a sheet showed, of an app that opens two and then changes its user's password.
    private func use(_ server: TestServer, _ store: MemoryStore, clientID: String = "tool") async throws -> [String] {
        let (sheet, form) = (
            EmptySheet(server),
            EmptySheet(
                server, [("current_password", TestServer.password), ("password", "a-longer-and-better-one")])
        )
        let auth = app(server, sheet, store, clientID: clientID)
        try await auth.settings.open()
        try await auth.settings.open(.sessions)
        let changing = app(server, form, store, clientID: clientID)
        try await changing.settings.changePassword(redirectURI: callback)
        #expect(await changing.state.isSignedIn)
        return sheet.pages.withLock { $0 } + form.pages.withLock { $0 }
    }

    @Test func `after a sign-in in a sheet that kept nothing`() async throws {
        let server = try await TestServer.start()
        let store = MemoryStore()
        try await app(server, PersonAtBrowser(browser: server.browser()), store).authorize(redirectURI: callback)
        let sheet = EmptySheet(server)
        let auth = app(server, sheet, store)
        try await auth.settings.open()
        try await auth.settings.open(.sessions)
        #expect(sheet.pages.withLock { $0 } == ["settings", "settings-sessions"])
        let change = EmptySheet(
            server,
            [
                ("current_password", TestServer.password), ("password", "a-longer-and-better-one"),
                ("end_others", "true"),
            ])
        let changing = app(server, change, store)
        try await changing.settings.changePassword(redirectURI: callback)
        #expect(change.pages.withLock { $0 } == ["settings-password"])
        server.clock.advance(3_600)
        _ = try await changing.accessToken()
        await server.stop()
    }

    @Test func `after a sign-in by a method, whose session has no ID token`() async throws {
        let server = try await TestServer.start()
        let sheet = EmptySheet(server, [("action", "delete"), ("confirm", "true")])
        let auth = app(server, sheet, MemoryStore())
        _ = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        try await auth.settings.deleteAccount(redirectURI: callback)
        #expect(sheet.pages.withLock { $0 } == ["settings-delete"])
        #expect(await auth.state == .signedOut)
        #expect(try await server.services.stores.users.account(TestServer.subject) == nil)
        await server.stop()
    }

    @Test func `after a touch`() async throws {
        let server = try await TestServer.start()
        let (device, store) = (SoftwareBiometrics(), MemoryStore())
        let prompt = BiometricPrompt(reason: "to sign in")
        let before = app(server, PersonAtBrowser(browser: server.browser()), store, device: device)
        try await before.authorize(redirectURI: callback)
        try await before.biometrics.enable(prompt)
        try await before.logout()
        server.clock.advance(3_600)
        let result = try await app(server, EmptySheet(server), store, device: device).biometrics.authenticate(prompt)
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        #expect(try await use(server, store) == ["settings", "settings-sessions", "settings-password"])
        await server.stop()
    }

    @Test func `after a device code, with which the user signed in elsewhere`() async throws {
        let server = try await TestServer.start(clients: [DevicePerson.television])
        server.clock.advance(11)
        let store = MemoryStore()
        let auth = app(server, EmptySheet(server), store, clientID: "television")
        let person = DevicePerson(server)
        _ = try await auth.deviceSignIn(DeviceSignInOptions(), sleep: person) { progress in
            if case .code(let code) = progress { _ = try? await person.decide("allow", code) }
        }
        let (looking, form) = (EmptySheet(server), EmptySheet(server))
        let television = app(server, looking, store, clientID: "television")
        try await television.settings.open()
        try await television.settings.open(.sessions)
        #expect(looking.pages.withLock { $0 } == ["settings", "settings-sessions"])
        // What changes how the user signs in wants a sign-in there: the code may have been a stranger's.
        await #expect(throws: AuthError.self) {
            try await app(server, form, store, clientID: "television").settings.changePassword(redirectURI: callback)
        }
        #expect(form.pages.withLock { $0 } == ["login"])
        await server.stop()
    }

    @Test func `a client that is not the operator's own has the user sign in there`() async throws {
        let client = TestClients.make("guest", method: "none", secret: nil, native: true)
        let server = try await TestServer.start(clients: [client])
        let store = MemoryStore()
        func guest(_ browser: any BrowserAgent) -> Keyturn {
            Keyturn(
                .keyturn(issuer: server.issuer, clientID: "guest"), storage: .custom(store), browser: browser,
                transport: DatedTransport(server.clock), ambient: server.clock.ambient)
        }
        try await guest(PersonAtBrowser(browser: server.browser())).authorize(redirectURI: callback)
        let sheet = EmptySheet(server)
        try await guest(sheet).settings.open()
        #expect(sheet.pages.withLock { $0 } == ["login"])
        await server.stop()
    }
}
