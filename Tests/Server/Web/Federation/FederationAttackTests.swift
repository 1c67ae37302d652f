import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Answers of providers that went astray")
struct FederationAttackTests {
    @Test func `F-18: an answer at another connection's address reaches no provider`() async throws {
        let fixture = try await FederationFixture.start(.person(), [.scripted(), .scripted("other")])
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser, to: "other")
        let mixed = try await fixture.comeBack(browser, handle, to: "acme")
        #expect(mixed.status == 400 && mixed.page == "error")
        #expect(try await fixture.holder() == nil)
        #expect(try await fixture.holder(at: "other") == nil)
        // The sign-in that the user began is not spoilt.
        #expect(try FederationFixture.hasCode(try await fixture.comeBack(browser, handle, to: "other")))
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test(
        "F-6: a change of address that was begun before a link ends with it",
        arguments: ["otp", "magiclink", "enchantedlink"])
    func pendingChange(_ method: String) async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let session = try await server.signUpByCode("jane@provider.example")
        let ask: JSONValue = [
            "loginId": "jane@provider.example", "email": "mallory@example.com", "addToLoginIDs": true,
        ]
        #expect(try await server.call("\(method)/update/email", ask, refresh: session.refreshJWT).status == 200)
        let message = try await server.message(to: "mallory@example.com")
        #expect(try FederationFixture.hasCode(try await fixture.pass(server.browser())))
        let owner = try #require(try await server.account("jane@provider.example"))
        #expect(try await fixture.holder() == owner.user.id)
        let proofs: [(path: String, body: JSONValue)] =
            if let code = message.code {
                [("otp/verify/email", ["loginId": "jane@provider.example", "code": .string(code)])]
            } else {
                try message.links.map { link in
                    let token = try #require(link.split(separator: "t=", maxSplits: 1).last).prefix { $0 != "&" }
                    return ("\(method)/verify", ["token": .string(String(token))])
                }
            }
        #expect(!proofs.isEmpty)
        for proof in proofs {
            #expect(try await server.call(proof.path, proof.body, refresh: session.refreshJWT).status != 200)
        }
        let after = try #require(try await server.account("jane@provider.example"))
        #expect(after.identifiers == owner.identifiers && after.email == "jane@provider.example")
        #expect(try await server.account("mallory@example.com") == nil)
        await server.stop()
    }

    @Test func `F-55: of a sign-up by password and one at a provider, one owns the address`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        for round in 0..<10 {
            let address = "new-\(round)@provider.example"
            fixture.provider.says(.person("subject-\(round)", email: address))
            let browser = server.browser()
            let handle = try await fixture.leave(browser)
            async let arrived = fixture.comeBack(browser, handle)
            async let signedUp = server.method(
                "password/signup", nil, ["loginId": .string(address), "password": "a-stranger-s-password-1"])
            let (screen, answer) = try await (arrived, signedUp)
            #expect(try FederationFixture.hasCode(screen), "\(round)")
            let owner = try #require(try await server.account(address))
            #expect(try await fixture.holder("subject-\(round)") == owner.user.id, "\(round)")
            #expect(owner.isEmailVerified && owner.passwordHash == nil, "\(round)")
            // Whoever came first: the other is told what everyone is told about a taken name, or that the account was
            // changed before the session was opened.
            let code = answer.json["errorCode"]?.stringValue
            #expect(answer.status == 200 || ["E062107", "E011003"].contains(code), "\(round): \(answer.body)")
            let stranger = try await server.method(
                "password/signin", nil, ["loginId": .string(address), "password": "a-stranger-s-password-1"])
            #expect(stranger.status != 200, "\(round)")
            if let token = answer.json["refreshJwt"]?.stringValue {
                #expect(try await server.method("refresh", token).status == 401, "\(round)")
            }
        }
        await server.stop()
    }

    @Test func `F-59: no page of a callback is shown within another site, or speaks to it`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let handle = try await fixture.leave(browser)
        let astray = try await fixture.comeBack(fixture.server.browser(), handle)
        fixture.provider.fails(ConnectionProblem(.cancelled, code: "access_denied"))
        let failed = try await fixture.comeBack(browser, handle)
        #expect(astray.header("cross-origin-opener-policy") == "same-origin", "it is the callback's own page")
        for screen in [astray, failed] {
            #expect(screen.header("x-frame-options") == "DENY")
            let policy = try #require(screen.header("content-security-policy"))
            #expect(policy.contains("frame-ancestors 'none'") && policy.contains("script-src 'self'"))
            #expect(screen.header("access-control-allow-origin") == nil)
            let script = try #require(screen.body.firstMatch(of: #/src="(/assets/keyturn-[0-9a-f]+\.js)"/#))
            let text = try await browser.open(String(script.1)).body
            #expect(text.count > 500 && !text.contains("postMessage") && !text.contains("opener"))
        }
        await fixture.server.stop()
    }
}
