import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Keyturn

@Suite("End to end: a session under a PIN, with our SDK, our server and its key service")
struct VaultEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    private func app(
        _ server: TestServer, _ service: Service?, _ store: MemoryStore
    ) -> Keyturn {
        Keyturn(
            service ?? .keyturn(issuer: server.issuer, clientID: "tool"), storage: .custom(store),
            browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    @Test func `a bound session is stored, locked, opened, renewed, and given another PIN`() async throws {
        let server = try await TestServer.start()
        let store = MemoryStore()
        let auth = app(server, nil, store)
        let user = TestServer.subject.rawValue
        try await auth.authorize(redirectURI: callback)
        try await auth.vault.store(newPassword: "1234")
        try await auth.vault.put([1, 2, 3], named: "note")
        #expect(await auth.keeper.machine.record?.keyThumbprint != nil)
        try await auth.vault.lock()
        let after = app(server, nil, store)
        #expect(try await after.start() == .signedOut)
        try await after.vault.unlock(user, password: "1234")
        server.clock.advance(601)
        let token = try await after.accessToken()
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 200)
        try await after.vault.changePassword(user, from: "1234", to: "5678")
        #expect(try await after.vault.data(named: "note") == [1, 2, 3])
        try await after.vault.lock()
        let error = await #expect(throws: AuthError.self) { try await after.vault.unlock(user, password: "1234") }
        #expect(error?.isWrongPassword == true && error?.remainingAttempts == 2)
        try await after.vault.unlock(user, password: "5678")
        #expect(try await after.accessToken() == token)
        await server.stop()
    }

    @Test func `three wrong PINs lock, the right one comes too late, and a sign-in leads back`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, nil, MemoryStore())
        let user = TestServer.subject.rawValue
        try await auth.authorize(redirectURI: callback)
        let old = try await auth.vault.store(newPassword: "1234")
        try await auth.vault.lock()
        var codes: [AuthError.Code] = []
        for pin in ["0000", "0001", "0002", "1234"] {
            let error = await #expect(throws: AuthError.self) { try await auth.vault.unlock(user, password: pin) }
            codes += [error?.code].compactMap(\.self)
        }
        #expect(codes == [.vaultWrongPassword, .vaultWrongPassword, .vaultKeyLocked, .vaultKeyLocked])
        try await auth.authorize(redirectURI: callback)
        let new = try await auth.vault.store(newPassword: "5678")
        try await auth.vault.lock()
        try await auth.vault.unlock(user, password: "5678")
        #expect(old.keyID != new.keyID)
        // The old key had an owner, who has had it removed.
        await #expect(throws: AuthError.code(.vaultKeyMissing)) {
            try await auth.vaultAccess.keyService().key(old.keyID, secret: Secret("1234"))
        }
        try await auth.vault.clear(user)
        await #expect(throws: AuthError.code(.vaultKeyMissing)) {
            try await auth.vaultAccess.keyService().key(new.keyID, secret: Secret("5678"))
        }
        await server.stop()
    }

    @Test func `signing out ends the session at the server, and the next one goes under the same PIN`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, nil, MemoryStore())
        try await auth.authorize(redirectURI: callback)
        try await auth.vault.store(newPassword: "1234")
        let token = try await auth.accessToken()
        try await auth.logout()
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401)
        try await auth.authorize(redirectURI: callback)
        try await auth.vault.store(existingPassword: "1234")
        #expect(await auth.vault.unlockedUser == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `the service of Trifork's clients works below a realm of ours`() async throws {
        let client = Client(
            id: "tim",
            metadata: TestClients.make("tim", method: "none", secret: nil, native: true) {
                $0.scope = "openid profile"
            }.metadata, secretDigests: [], isFirstParty: true, profile: .tim)
        let server = try await TestServer.start(clients: [client])
        let service = Service.tim(baseURL: server.issuer, realm: "harbour", clientID: "tim")
        let store = MemoryStore()
        let auth = app(server, service, store)
        try await auth.authorize(redirectURI: callback)
        #expect(await auth.vault.currentUser == TestServer.subject.rawValue)
        try await auth.vault.store(newPassword: "1234")
        for _ in 0..<2 {
            try await auth.vault.lock()
            try await auth.vault.unlock(TestServer.subject.rawValue, password: "1234")
            server.clock.advance(601)
            let token = try await auth.accessToken()
            #expect(TokenData(token)?.userID == TestServer.subject.rawValue)
        }
        let refreshToken = try #require(
            try await auth.vault.refreshToken(TestServer.subject.rawValue, password: "1234"))
        #expect(TokenData(refreshToken.exposed())?.userID == TestServer.subject.rawValue)
        await server.stop()
    }
}

extension AuthError {
    fileprivate static func code(_ code: Code) -> AuthError { AuthError(code, "") }
}
