import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Users without an account: they get one")
struct AnonymousPromotionTests {
    /// A server, a device with a user, and a browser.
    private struct World: Sendable {
        let server: TestServer
        let device: AnonymousDevice
        let user: UserID
        let browser: ScriptedBrowser

        init() async throws {
            server = try await AnonymousDevice.server()
            device = try AnonymousDevice(server)
            user = try await device.signUp()
            browser = server.browser()
        }

        func redeem(_ screen: ScriptedBrowser.Screen, _ proof: PKCE) async throws -> EndpointAnswer {
            try await server.redeem(try AnonymousDevice.code(screen), AnonymousDevice.app, proof: proof)
        }

        func account(_ user: UserID) async throws -> Account? { try await server.services.stores.users.account(user) }
    }

    @Test func `a user who signs up keeps the subject and everything else`() async throws {
        let world = try await World()
        let server = world.server
        _ = try await server.services.stores.users.change(world.user, at: server.clock.now) {
            $0.user.attributes = ["level": 7]
        }
        let before = try await world.device.signIn().json["refresh_token"]?.stringValue
        let proof = PKCE(ambient: .live)
        let page = try await world.device.begin(try await world.device.hint(), proof: proof, in: world.browser)
        #expect(page.page == "login")
        let done = try await world.device.signUp("new@example.com", from: page, in: world.browser)
        // Nothing is attached before the app redeems the code.
        #expect(try await world.device.isAnonymous(world.user) == true)
        #expect(try await server.account("new@example.com")?.user.id != world.user)
        let answer = try await world.redeem(done, proof)
        #expect(answer.status == 200, "\(answer.body)")
        let claims = try AnonymousDevice.claims(answer)
        #expect(claims["sub"]?.stringValue == world.user.rawValue && claims[AuthgearNames.isAnonymous] == nil)
        let account = try #require(try await server.account("new@example.com"))
        #expect(account.user.id == world.user && !account.user.isAnonymous && account.user.attributes == ["level": 7])
        #expect(account.user.claims["name"] == "New Person" && account.isEmailVerified)
        #expect(try await server.refresh(before, AnonymousDevice.app).status == 400, "others may have a copy")
        #expect(try await server.refresh(answer.json["refresh_token"]?.stringValue, AnonymousDevice.app).status == 200)
        #expect(try await world.device.signIn().saysInvalidCredentials, "the key signs in no more")
        #expect(try await server.audited().contains("anonymous.promoted"))
        // The browser's session is of the same user.
        #expect(try await world.browser.open("/settings").page == "settings")
        await server.stop()
    }

    @Test(arguments: ["bring", "leave"])
    func `a user who signs in to an account is asked, and nothing goes silently`(_ choice: String) async throws {
        let world = try await World()
        let server = world.server
        _ = try await server.services.stores.users.change(world.user, at: server.clock.now) {
            $0.user.attributes = ["level": 7]
            $0.user.claims = ["nickname": "Guest", "name": "Not this one"]
        }
        server.clock.advance(100)
        let proof = PKCE(ambient: .live)
        let page = try await world.device.begin(try await world.device.hint(), proof: proof, in: world.browser)
        let question = try await server.complete(page, in: world.browser)
        #expect(question.page == "promotion" && question.body.contains("3 details"), "\(question.body)")
        let done = try await world.browser.submit(question, ["action": choice])
        #expect(try await world.device.isAnonymous(world.user) == true, "until the app redeems the code")
        let answer = try await world.redeem(done, proof)
        #expect(try AnonymousDevice.claims(answer)["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(try await world.account(world.user) == nil)
        let account = try #require(try await world.account(TestServer.subject))
        #expect(account.user.attributes == (choice == "bring" ? ["level": 7] : [:]))
        #expect(account.user.claims["nickname"] == (choice == "bring" ? "Guest" : nil))
        #expect(account.user.claims["name"] == "Andy Rhoads")
        await server.stop()
    }

    @Test func `a user who cancels stays as they are`() async throws {
        let world = try await World()
        world.server.clock.advance(100)
        let page = try await world.device.begin(
            try await world.device.hint(), proof: PKCE(ambient: .live), in: world.browser)
        let question = try await world.server.complete(page, in: world.browser)
        let done = try await world.browser.submit(question, ["action": "deny"])
        #expect(try AnonymousDevice.refusal(done)?.code == .accessDenied)
        #expect(try await world.device.signIn().status == 200)
        // A choice that the page does not offer is none.
        let again = try await world.device.begin(
            try await world.device.hint(), proof: PKCE(ambient: .live), in: world.browser)
        let asked = try await world.server.complete(again, in: world.browser)
        #expect(try await world.browser.submit(asked, ["action": "adopt"]).page == "promotion")
        await world.server.stop()
    }

    @Test func `G-4: a victim who follows an attacker's link puts nothing on the attacker's user`() async throws {
        let world = try await World()
        let server = world.server
        // The attacker has the verifier, and the code goes to the victim's device.
        let attackers = PKCE(ambient: .live)
        let page = try await world.device.begin(try await world.device.hint(), proof: attackers, in: world.browser)
        let done = try await world.device.signUp("victim@example.com", from: page, in: world.browser)
        let code = try AnonymousDevice.code(done)
        let thiefs = PKCE(ambient: .live)
        #expect(try await server.redeem(code, AnonymousDevice.app, proof: thiefs).error == "invalid_grant")
        #expect(try await server.redeem(code, AnonymousDevice.app, proof: nil).error == "invalid_grant")
        #expect(try await world.device.isAnonymous(world.user) == true)
        let victim = try #require(try await server.account("victim@example.com"))
        #expect(victim.user.id != world.user)
        // The attacker's session knows nothing of the victim, and the code expires.
        let access = try #require(try await world.device.signIn().json["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", token: access).json["email"] == nil)
        server.clock.advance(Limits.codeSeconds + 1)
        #expect(try await server.redeem(code, AnonymousDevice.app, proof: attackers).error == "invalid_grant")
        #expect(try await server.account("victim@example.com")?.user.id == victim.user.id)
        #expect(try await world.device.isAnonymous(world.user) == true)
        await server.stop()
    }

    @Test func `G-5: a session of this browser does not decide, and no promotion is without PKCE`() async throws {
        let world = try await World()
        let server = world.server
        _ = try await server.signIn(AnonymousDevice.app, proof: PKCE(ambient: .live), in: world.browser)
        // Without prompt=login, too, the page asks who signs in.
        let page = try await world.device.begin(
            try await world.device.hint(), proof: PKCE(ambient: .live), in: world.browser
        ) { $0.prompt = nil }
        #expect(page.page == "login")
        let silent = try await world.device.begin(
            try await world.device.hint(), proof: PKCE(ambient: .live), in: world.browser
        ) { $0.prompt = "none" }
        #expect(try AnonymousDevice.refusal(silent)?.code == .loginRequired)
        let bare = try await world.device.begin(try await world.device.hint(), proof: nil, in: world.browser)
        #expect(try AnonymousDevice.refusal(bare)?.code == .invalidRequest)
        await server.stop()
    }

    @Test func `G-6: a request to promote counts once, and only for its own client`() async throws {
        let world = try await World()
        let server = world.server
        let jwt = try await world.device.request(.promote)
        let hint = try await world.device.hint(jwt)
        let (proof, second) = (PKCE(ambient: .live), PKCE(ambient: .live))
        // Two transactions with one request: a thief who read it in a log began the other.
        let page = try await world.device.begin(hint, proof: proof, in: world.browser)
        let thief = server.browser()
        let copy = try await world.device.begin(hint, proof: second, in: thief)
        let done = try await world.device.signUp("new@example.com", from: page, in: world.browser)
        let stolen = try await world.device.signUp("thief@example.com", from: copy, in: thief)
        #expect(try await world.redeem(done, proof).status == 200)
        #expect(try await world.redeem(stolen, second).error == "invalid_grant")
        #expect(try await server.account("new@example.com")?.user.id == world.user)
        #expect(try await server.account("thief@example.com")?.user.id != world.user)
        #expect(try await server.audited().contains("anonymous.promotion_refused"))
        // The user is not anonymous any more: nothing can be begun.
        let late = try await world.device.begin(hint, proof: proof, in: server.browser())
        #expect(try AnonymousDevice.refusal(late)?.code == .invalidRequest)
        await server.stop()
    }

    @Test func `G-7: hints that are forged, foreign, old or for another action are refused`() async throws {
        let world = try await World()
        let server = world.server
        let browser = server.browser()
        let device = world.device
        let thief = try SigningKey.generate(.es256)
        var hints = [
            try await device.hint(try await device.request(.promote, signedBy: thief)),
            try await device.hint(try await device.request(.authenticate)),
            try await device.hint(try await device.request(.promote, isNew: true)),
            try await device.hint(try await device.request(.promote, type: BiometricNames.requestType)),
            try await device.hint("a.b.c"), AuthgearNames.loginHint([("type", "anonymous")]),
            AuthgearNames.loginHint([("type", "anonymous"), ("promotion_code", "made up")]),
        ]
        let old = try await device.hint()
        server.clock.advance(Limits.challengeSeconds + 61)
        hints.append(old)
        for hint in hints {
            let screen = try await device.begin(hint, proof: PKCE(ambient: .live), in: browser)
            #expect(try AnonymousDevice.refusal(screen)?.code == .invalidRequest, "\(hint)")
        }
        let foreign = try await device.begin(
            try await device.hint(), proof: PKCE(ambient: .live), in: browser, as: AnonymousDevice.other)
        #expect(try AnonymousDevice.refusal(foreign)?.code == .invalidRequest)
        let closed = try await device.begin(
            try await device.hint(), proof: PKCE(ambient: .live), in: browser, as: TestClients.tool)
        #expect(try AnonymousDevice.refusal(closed)?.code == .unauthorizedClient)
        await server.stop()
    }

    @Test func `G-8: two users and one new account: the first has it, and no account is renamed twice`()
        async throws
    {
        let world = try await World()
        let server = world.server
        let other = try AnonymousDevice(server)
        let second = try await other.signUp()
        let proof = PKCE(ambient: .live)
        let page = try await world.device.begin(try await world.device.hint(), proof: proof, in: world.browser)
        let window = server.browser()
        let waiting = try await other.begin(try await other.hint(), proof: PKCE(ambient: .live), in: window)
        let done = try await world.device.signUp("new@example.com", from: page, in: world.browser)
        // The other transaction finds the account that was made meanwhile: it is one that exists.
        let sent = try await window.submit(waiting, ["username": "new@example.com", "action": "code"])
        let code = try #require(try await server.message(to: "new@example.com").code)
        #expect(try await window.submit(sent, ["code": code]).page == "promotion")
        #expect(try await world.redeem(done, proof).status == 200)
        #expect(try await server.account("new@example.com")?.user.id == world.user)
        #expect(try await world.device.isAnonymous(second) == true)
        await server.stop()
    }

    @Test func `a page without keys promotes by a code, once, while its session lives`() async throws {
        let server = try await AnonymousDevice.server()
        let browser = server.browser()
        let device = try AnonymousDevice(server)
        let tokens = try await AnonymousGrantTests.signUp(server).json["result"]
        let refresh = try #require(tokens?["refresh_token"]?.stringValue)
        let access = try #require(tokens?["access_token"]?.stringValue)
        let sub = try await server.get("/oauth2/userinfo", token: access).json["sub"]?.stringValue
        let proof = PKCE(ambient: .live)
        let page = try await device.begin(try await hint(server, refresh), proof: proof, in: browser)
        let done = try await device.signUp("new@example.com", from: page, in: browser)
        let answer = try await server.redeem(try AnonymousDevice.code(done), AnonymousDevice.app, proof: proof)
        #expect(try AnonymousDevice.claims(answer)["sub"]?.stringValue == sub)
        let refused = try await promotionCode(server, refresh)
        #expect(refused.json["error"]?["reason"] == "InvalidGrant", "\(refused.body)")
        #expect(try await promotionCode(server, "made up").json["error"]?["reason"] == "InvalidGrant")
        // a session that was ended meanwhile promotes no user.
        let next = try await AnonymousGrantTests.signUp(server).json["result"]
        let other = try #require(next?["refresh_token"]?.stringValue)
        let late = PKCE(ambient: .live)
        let otherHint = try await hint(server, other)
        #expect(try await device.begin(otherHint, proof: late, in: server.browser()).page == "login")
        _ = try await server.post("/oauth2/revoke", FormParameters(["token": other]), as: AnonymousDevice.app)
        let over = try await device.begin(otherHint, proof: late, in: server.browser())
        #expect(try AnonymousDevice.refusal(over)?.code == .invalidRequest)
        await server.stop()
    }

    private func promotionCode(_ server: TestServer, _ token: String) async throws -> EndpointAnswer {
        try await server.send(
            "POST", "/api/anonymous_user/promotion_code", headers: [("Content-Type", "application/json")],
            body: "{\"session_type\":\"refresh_token\",\"refresh_token\":\"\(token)\"}")
    }

    private func hint(_ server: TestServer, _ token: String) async throws -> String {
        let answer = try await promotionCode(server, token)
        let code = try #require(answer.json["result"]?["promotion_code"]?.stringValue, "\(answer.body)")
        return AuthgearNames.loginHint([("type", "anonymous"), ("promotion_code", code)])
    }
}
