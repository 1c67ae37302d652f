import Foundation
import Account
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Addresses that somebody claims and somebody else proves")
struct UnprovedAddressTests {
    private let victim = "victim@example.com"
    private let password: JSONValue = "long-and-strange-77"

    private func squat(_ server: TestServer) async throws -> String? {
        try await server.call("password/signup", ["loginId": .string(victim), "password": password]).refreshJWT
    }

    private func expectGone(_ server: TestServer, _ squatter: UserID, _ session: String?) async throws {
        let left = try #require(try await server.services.stores.users.account(squatter))
        #expect(left.identifiers.isEmpty && left.email == nil && left.passwordHash == nil)
        #expect(try await server.call("refresh", [:], refresh: session).status == 401)
        let again = try await server.call("password/signin", ["loginId": .string(victim), "password": password])
        #expect(again.status == 400)
    }

    /// The owner of an account, in a browser session.
    private func owner(_ server: TestServer) async throws -> AccountOwner {
        let outcome = try await server.services.signIn.check(
            loginID: TestServer.username, password: Secret(TestServer.password), from: NetworkAddress("192.0.2.1"))
        guard case .recognised(let user, let facts) = outcome else { throw TestFailure("\(outcome)") }
        let opened = try await server.services.signIn.openSession(for: user, facts, replacing: nil)
        return try #require(try await server.services.signIn.owner(of: opened?.cookie))
    }

    @Test func `93: who adds an address in the settings and proves it gets it from who only claimed it`() async throws {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let squatter = try #require(try await server.account(victim)).user.id
        let owner = try await owner(server)
        guard case .sent(let pending) = try await server.services.settings.sendCode(to: victim, of: owner) else {
            throw TestFailure("not sent")
        }
        let code = try #require(try await server.message(to: victim).code)
        #expect(try await server.services.settings.prove(pending, code: Secret(code), of: owner) == .added)
        #expect(try await server.account(victim)?.user.id == TestServer.subject)
        try await expectGone(server, squatter, session)
        await server.stop()
    }

    @Test func `93: a factor that a stranger set up keeps no address from who proves it on the wire`() async throws {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let squatter = try #require(try await server.account(victim)).user.id
        let begun = try await server.call("totp/update", ["loginId": .string(victim)], refresh: session)
        #expect(begun.status == 200)
        let key = try #require(begun.json["key"]?.stringValue)
        let secret = try #require(TOTPSecret(typed: Secret(key)))
        let code = TOTPCode(secret).code(at: server.clock.now).exposed()
        let confirmed = try await server.call(
            "totp/verify", ["loginId": .string(victim), "code": .string(code)], refresh: session)
        #expect(confirmed.status == 200)
        #expect(try await server.account(victim)?.hasAuthenticator == true)

        let own = try await server.session()
        let body: JSONValue = [
            "loginId": .string(TestServer.username), "email": .string(victim), "addToLoginIDs": true,
        ]
        #expect(
            try await server.call("otp/update/email", body, refresh: own.refreshJWT?.exposed()).status == 200)
        let sent = try #require(try await server.message(to: victim).code)
        let proved = try await server.call(
            "otp/verify/email", ["loginId": .string(TestServer.username), "code": .string(sent)])
        #expect(proved.status == 200)
        #expect(try await server.account(victim)?.user.id == TestServer.subject)
        #expect(try await server.services.stores.users.account(squatter)?.hasAuthenticator == false)
        try await expectGone(server, squatter, session)
        await server.stop()
    }

    @Test func `93: an address that is proved as a contact is nobody's login ID who never proved it`() async throws {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let squatter = try #require(try await server.account(victim)).user.id
        let body: JSONValue = ["loginId": "bobby", "user": ["email": .string(victim)]]
        #expect(try await server.call("otp/signup/email", body).status == 200)
        let code = try #require(try await server.message(to: victim).code)
        #expect(
            try await server.call("otp/verify/email", ["loginId": "bobby", "code": .string(code)]).status == 200)
        #expect(try await server.account("bobby")?.isEmailVerified == true)
        #expect(try await server.account(victim) == nil)
        try await expectGone(server, squatter, session)
        await server.stop()
    }

    @Test func `who only follows a link takes no address from the account that claims it`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let session = try await squat(server)
        let mallory = try await server.session()
        let body: JSONValue = ["loginId": .string(TestServer.username), "email": .string(victim)]
        let asked = try await server.call("magiclink/update/email", body, refresh: mallory.refreshJWT?.exposed())
        #expect(asked.status == 200)
        let link = try #require(try await server.message(to: victim).links.first)
        let token = JSONValue.string(String(try #require(link.split(separator: "t=", maxSplits: 1).last)))
        _ = try await server.call("magiclink/verify", ["token": token], from: "198.51.100.7")
        #expect(try await server.account(victim)?.identifiers.values.first == .unverified)
        #expect(try await server.call("refresh", [:], refresh: session).status == 200)
        await server.stop()
    }

    @Test func `93: a user whom an operator makes with a verified address has it`() async throws {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let squatter = try #require(try await server.account(victim)).user.id
        let unverified = try await server.manage("user/create", ["loginId": .string(victim), "email": .string(victim)])
        #expect(unverified.errorCode == "E062107", "one claim is as good as another")
        let made = try await server.manage(
            "user/create", ["loginId": .string(victim), "email": .string(victim), "verifiedEmail": true])
        #expect(made.status == 200)
        #expect(try await server.account(victim)?.user.id != squatter)
        try await expectGone(server, squatter, session)
        await server.stop()
    }

    @Test func `an invitation keeps its address, and so does who has proved it`() async throws {
        let server = try await TestServer.start()
        let claims = UnprovedClaims(
            stores: server.services.stores, rulebook: server.services.project.rulebook,
            notices: server.services.notices, audit: server.services.auditLog, ambient: server.clock.ambient)
        let invited = try await server.manage(
            "user/create", ["loginId": .string(victim), "email": .string(victim), "invite": true])
        #expect(invited.status == 200)
        for name in [victim, TestServer.username] {
            #expect(try await !claims.release(try #require(Identifier(loginID: name)), for: nil))
            #expect(try await server.account(name)?.identifiers.count == 1)
        }
        #expect(try await claims.release(try #require(Identifier(loginID: "free@example.com")), for: nil))
        await server.stop()
    }
}
