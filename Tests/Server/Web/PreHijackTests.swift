import Authority
import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Whoever registers somebody else's address first, or was thrown out, gains nothing by the owner's proof.
@Suite("Accounts that strangers prepared")
struct PreHijackTests {
    private static let victim = "victim@example.com"
    /// The owner's network; strangers come from this machine.
    private static let elsewhere = "198.51.100.7"
    private static let secret: JSONValue = "strangers-own-secret"

    private static func start(sameNetworkCounts: Bool) async throws -> TestServer {
        let policy = AuthorityPolicy(sameNetworkCounts: sameNetworkCounts)
        return try await TestServer.start(
            project: { Project(id: "test", name: "Test", issuer: $0, authority: policy) }, trustsForwarding: true)
    }

    /// A stranger signs up with the victim's address.
    private func squat(_ server: TestServer, _ name: String = victim) async throws -> EndpointAnswer {
        try await server.call("password/signup", ["loginId": .string(name), "password": Self.secret])
    }

    private func expectVoid(_ server: TestServer, _ squatted: EndpointAnswer) async throws {
        let stranger = try await server.call(
            "password/signin", ["loginId": .string(Self.victim), "password": Self.secret])
        #expect(stranger.errorCode == "E062108")
        #expect(try await server.call("refresh", [:], refresh: squatted.refreshJWT).status == 401)
        #expect(try await server.account(Self.victim)?.isEmailVerified == true)
    }

    @Test func `93: a step-up that a stranger's session asked for voids that session`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let squatted = try await squat(server)
        let asked = try await server.call(
            "otp/signin/email",
            ["loginId": .string(Self.victim), "loginOptions": ["stepup": true, "customClaims": ["role": "admin"]]],
            refresh: squatted.refreshJWT)
        #expect(asked.status == 200)
        let code = try #require(try await server.message(to: Self.victim).code)
        let proved = try await server.call(
            "otp/verify/email", ["loginId": .string(Self.victim), "code": .string(code)], from: Self.elsewhere)
        #expect(proved.status == 200)
        let claims = TestServer.claims(proved.json["sessionJwt"]?.stringValue.map(Secret.init))
        #expect(claims["nsec"]?["role"] == nil && claims["su"] == nil, "nothing that the stranger wanted is granted")
        try await expectVoid(server, squatted)
        #expect(try await server.call("refresh", [:], refresh: proved.refreshJWT).status == 200)
        await server.stop()
    }

    @Test func `93: a link to confirm the address voids the session that asked for it`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let squatted = try await squat(server)
        let asked = try await server.call(
            "magiclink/update/email", ["loginId": .string(Self.victim), "email": .string(Self.victim)],
            refresh: squatted.refreshJWT)
        #expect(asked.status == 200)
        let token = try await token(server, to: Self.victim)
        #expect(
            try await server.call("magiclink/verify", ["token": .string(token)], from: Self.elsewhere).status == 200)
        try await expectVoid(server, squatted)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `whoever shows the code in the session that asked, or from where it asked, keeps password and session`(
        _ isSession: Bool
    ) async throws {
        let server = try await Self.start(sameNetworkCounts: !isSession)
        let own = try await squat(server)
        _ = try await server.call(
            "otp/update/email", ["loginId": .string(Self.victim), "email": .string(Self.victim)],
            refresh: own.refreshJWT)
        let code = try #require(try await server.message(to: Self.victim).code)
        let proved = try await server.call(
            "otp/verify/email", ["loginId": .string(Self.victim), "code": .string(code)],
            refresh: isSession ? own.refreshJWT : nil, from: isSession ? Self.elsewhere : nil)
        #expect(proved.status == 200 && proved.json["user"]?["verifiedEmail"]?.boolValue == true)
        #expect(try await server.call("refresh", [:], refresh: own.refreshJWT).status == 200)
        let again = try await server.call(
            "password/signin", ["loginId": .string(Self.victim), "password": Self.secret])
        #expect(again.status == 200)
        await server.stop()
    }

    @Test func `93: a click does not make an address the login ID of an account that its owner does not know`()
        async throws
    {
        let server = try await TestServer.start(trustsForwarding: true)
        let stranger = try await server.signUpByCode("troy@example.com")
        let body: JSONValue = [
            "loginId": "troy@example.com", "email": .string(Self.victim), "addToLoginIDs": true,
        ]
        #expect(try await server.call("magiclink/update/email", body, refresh: stranger.refreshJWT).status == 200)
        let token = try await token(server, to: Self.victim)
        let clicked = try await server.call("magiclink/verify", ["token": .string(token)], from: Self.elsewhere)
        #expect(clicked.errorCode == "E063010" && clicked.refreshJWT == nil, "nor a session of that account")
        #expect(try await server.account(Self.victim) == nil)
        let owner = try await server.signUpByCode(Self.victim)
        #expect(owner.status == 200 && owner.json["firstSeen"]?.boolValue == true)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a link that is confirmed in the session that asked, or from where it asked, adds the login ID`(
        _ isSession: Bool
    ) async throws {
        let server = try await Self.start(sameNetworkCounts: !isSession)
        let session = try await server.signUpByCode("troy@example.com")
        let body: JSONValue = [
            "loginId": "troy@example.com", "email": "second@example.com", "addToLoginIDs": true,
        ]
        _ = try await server.call("magiclink/update/email", body, refresh: session.refreshJWT)
        let token = try await token(server, to: "second@example.com")
        let answer = try await server.call(
            "magiclink/verify", ["token": .string(token)],
            refresh: isSession ? session.refreshJWT : nil, from: isSession ? Self.elsewhere : nil)
        #expect(answer.status == 200)
        #expect(try await server.account("second@example.com")?.identifiers.count == 2)
        await server.stop()
    }

    @Test(arguments: [(false, true), (true, true), (true, false)])
    func `93: nobody who was thrown out comes back by a merge`(_ keepsExisting: Bool, _ isVerified: Bool) async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let fired = "fired@example.com"
        let account =
            isVerified ? try await server.signUpByCode(fired) : try await squat(server, fired)
        #expect(account.status == 200)
        _ = try await server.manage("user/update/status", ["loginId": .string(fired), "status": "disabled"])
        let before = try #require(try await server.account(fired))
        let fresh = try await server.signUpByCode("fresh@example.com")
        let body: JSONValue = [
            "loginId": "fresh@example.com", "email": .string(fired), "addToLoginIDs": true,
            "onMergeUseExisting": .bool(keepsExisting),
        ]
        let asked = try await server.call("otp/update/email", body, refresh: fresh.refreshJWT)
        #expect(asked.status == 200)
        let code = try #require(try await server.message(to: fired).code)
        let proved = try await server.call(
            "otp/verify/email", ["loginId": "fresh@example.com", "code": .string(code)], refresh: fresh.refreshJWT)
        #expect(proved.errorCode == "E062107")
        let after = try #require(try await server.account(fired))
        #expect(after.user.id == before.user.id && after.user.status == .disabled)
        await server.stop()
    }

    private func token(_ server: TestServer, to address: String) async throws -> String {
        let link = try #require(try await server.message(to: address).links.first)
        return try #require(link.components(separatedBy: "t=").last)
    }
}
