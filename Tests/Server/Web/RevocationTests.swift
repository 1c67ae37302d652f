import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// What was proved before the owner cleaned up opens nothing afterwards, however far it had come.
@Suite("What a revocation reaches")
struct RevocationTests {
    private static let name: JSONValue = .string(TestServer.username)
    private static let password: JSONValue = .string(TestServer.password)
    private static let several = "urn:keyturn:acr:mfa"

    /// Ways in which an owner gets rid of whoever is signed in beside them.
    enum CleanUp: CaseIterable {
        case ownPassword, everywhere, management, disabling, thatSession
    }

    private func cleanUp(_ way: CleanUp, _ server: TestServer, thief: String?) async throws {
        let status: Int
        switch way {
        case .ownPassword:
            let body: JSONValue = [
                "loginId": Self.name, "oldPassword": Self.password, "newPassword": "another-horse-battery",
            ]
            status = try await server.call("password/replace", body).status
        case .everywhere:
            let owner = try await server.session()
            status = try await server.call("logoutall", [:], refresh: owner.refreshJWT?.exposed()).status
        case .management:
            status = try await server.manage("user/logout", ["loginId": Self.name]).status
        case .disabling:
            _ = try await server.manage("user/update/status", ["loginId": Self.name, "status": "disabled"])
            status = try await server.manage("user/update/status", ["loginId": Self.name, "status": "enabled"]).status
        case .thatSession:
            status = try await server.call("logout", [:], refresh: thief).status
        }
        #expect(status == 200, "\(way)")
    }

    @Test(arguments: CleanUp.allCases)
    func `89: an authenticator that waits for its first code ends with the session that began it`(_ way: CleanUp)
        async throws
    {
        let server = try await TestServer.start()
        let thief = try await server.call("password/signin", ["loginId": Self.name, "password": Self.password])
        let setup = try await server.call("totp/update", ["loginId": Self.name], refresh: thief.refreshJWT)
        let secret = try #require(TOTPSecret(typed: Secret(setup.json["key"]?.stringValue ?? "")))
        try await cleanUp(way, server, thief: thief.refreshJWT)
        let code = TOTPCode(secret).code(at: server.clock.now).exposed()
        let answer = try await server.call("totp/verify", ["loginId": Self.name, "code": .string(code)])
        #expect(answer.errorCode == "E061102")
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        await server.stop()
    }

    @Test func `a person is told of an authenticator that was added`() async throws {
        let server = try await TestServer.start()
        let session = try await server.call("password/signin", ["loginId": Self.name, "password": Self.password])
        let setup = try await server.call("totp/update", ["loginId": Self.name], refresh: session.refreshJWT)
        let secret = try #require(TOTPSecret(typed: Secret(setup.json["key"]?.stringValue ?? "")))
        let code = TOTPCode(secret).code(at: server.clock.now).exposed()
        #expect(try await server.call("totp/verify", ["loginId": Self.name, "code": .string(code)]).status == 200)
        #expect(try await server.message(to: TestServer.username).kind == .authenticatorAdded)
        await server.stop()
    }

    @Test(arguments: [CleanUp.ownPassword, .everywhere, .management, .disabling])
    func `89: a page that was reached with the old password leads nowhere`(_ way: CleanUp) async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let login = try await server.loginPage(browser) { $0.acrValues = Self.several }
        let setup = try await server.complete(login, in: browser)
        #expect(setup.page == "totp-setup")
        let key = try #require(setup.body.split(separator: "class=\"key\"><code>").last?.prefix { $0 != "<" })
        let authenticator = TOTPCode(try #require(TOTPSecret(typed: Secret(String(key)))))
        try await cleanUp(way, server, thief: nil)
        let next = try await browser.submit(setup, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(next.page == "error")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        await server.stop()
    }

    @Test(arguments: [CleanUp.ownPassword, .everywhere, .management, .disabling])
    func `89: a proof that was checked before opens no session afterwards`(_ way: CleanUp) async throws {
        let server = try await TestServer.start()
        let before = try #require(try await server.account(TestServer.username))
        let proof = ProvenIdentity(account: before, method: .password, isFirst: false)
        try await cleanUp(way, server, thief: nil)
        await #expect(throws: MethodProblem.self) {
            _ = try await server.services.sessions.open(proof, options: .none, presented: nil, from: nil)
        }
        let facts = AuthenticationFacts.password(at: server.clock.now)
        let opened = try await server.services.signIn.openSession(for: before.user, facts, replacing: nil)
        #expect(opened == nil)
        await server.stop()
    }

    @Test(arguments: [CleanUp.ownPassword, .everywhere, .management, .disabling])
    func `89: a code that was sent before signs nobody in afterwards`(_ way: CleanUp) async throws {
        let server = try await TestServer.start()
        _ = try await server.call("otp/signin/email", ["loginId": Self.name])
        let code = try #require(try await server.message(to: TestServer.username).code)
        try await cleanUp(way, server, thief: nil)
        let answer = try await server.call("otp/verify/email", ["loginId": Self.name, "code": .string(code)])
        #expect(answer.errorCode == "E061102")
        await server.stop()
    }

    @Test func `89: sign-ins that run while the password is replaced leave no session`() async throws {
        let server = try await TestServer.start()
        let sessions = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<6 {
                group.addTask {
                    var opened: [String] = []
                    for _ in 0..<8 {
                        let answer = try await server.call(
                            "password/signin", ["loginId": Self.name, "password": Self.password])
                        opened += answer.refreshJWT.map { [$0] } ?? []
                    }
                    return opened
                }
            }
            try await cleanUp(.ownPassword, server, thief: nil)
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for session in sessions {
            #expect(try await server.call("refresh", [:], refresh: session).status == 401)
        }
        await server.stop()
    }

    @Test func `an authorization code needs a session that is still there`() async throws {
        let server = try await TestServer.start()
        let account = try #require(try await server.account(TestServer.username))
        let facts = AuthenticationFacts.password(at: server.clock.now)
        let (session, _) = try #require(
            try await server.services.signIn.openSession(for: account.user, facts, replacing: nil))
        let id = GrantID.make(.live)
        let now = server.clock.now
        let grant = Grant(
            id: id, clientID: TestClients.portal.id, userID: account.user.id, sessionID: session.id, scope: .none,
            resources: [], authentication: facts, nonce: nil, claimsRequest: nil, createdAt: now,
            idleExpiresAt: now + 60, absoluteExpiresAt: now + 3_600)
        let code = CodeConditions(
            digest: SecretDigest(of: Secret("code")), redirectURI: nil, codeChallenge: nil, expiresAt: now + 60)
        try await cleanUp(.everywhere, server, thief: nil)
        #expect(try await !server.services.stores.grants.add(grant, code: code))
        await server.stop()
    }
}
