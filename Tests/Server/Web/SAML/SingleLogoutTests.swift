import Identity
import KeyturnBase
import KeyturnWire
import Model
import SAML
import ServerTesting
import SignIn
import Testing

@Suite("Single logout with a SAML provider")
struct SingleLogoutTests {
    private func bring(_ query: String, _ fixture: SAMLFixture, to connection: String = "acme") async throws
        -> EndpointAnswer
    {
        try await fixture.server.send("GET", "/saml/\(connection)/slo?\(query)", headers: [], body: nil)
    }

    private func bring(_ form: KeyValuePairs<String, String?>, _ fixture: SAMLFixture) async throws -> EndpointAnswer {
        try await fixture.server.send(
            "POST", "/saml/acme/slo", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: FormParameters(form).encoded)
    }

    private func signIn(
        _ fixture: SAMLFixture, _ subject: String = "kim", id: String, session: String = "s1",
        at connection: String = "acme"
    ) async throws -> ScriptedBrowser {
        let browser = fixture.server.browser()
        let text = try fixture.response(subject, id: id, session: session, at: connection)
        #expect(try await fixture.post(text, in: browser, at: connection).status == 200)
        return browser
    }

    private static func signed(_ text: String, by key: ServiceKey = SAMLFixture.key) throws -> String {
        Base64.text(try XMLLibrary.sign(Array(text.utf8), .root, privateKey: key.pem))
    }

    @Test func `S-46: the provider ends its user's sessions of this connection, and gets a signed answer`() async throws
    {
        let fixture = try await SAMLFixture.start()
        _ = try await signIn(fixture, id: "_a1")
        _ = try await signIn(fixture, id: "_a2", session: "s2")
        _ = try await signIn(fixture, "bob", id: "_a3")
        _ = try await signIn(fixture, id: "_a4", at: "other")
        let one = try await bring(
            SAMLFixture.query(fixture.logoutRequest(session: "s2"), relayState: "state &1"), fixture)
        let address = try #require(one.headers["location"])
        #expect(one.status == 303 && address.hasPrefix("https://idp.example/slo?SAMLResponse="))
        let (root, query) = try SAMLFixture.message(in: address)
        #expect(root.isNamed("LogoutResponse", XMLElement.Space.protocol) && root["InResponseTo"] == "_l1")
        #expect(root["Destination"] == "https://idp.example/slo" && query.values("RelayState") == ["state &1"])
        #expect(query.values("Signature").count == 1)
        #expect(try await fixture.sessions("kim") == 1)
        let all = try await bring(["SAMLRequest": try Self.signed(fixture.logoutRequest(id: "_l2"))], fixture)
        #expect(all.status == 303)
        #expect(try await fixture.sessions("kim") == 0)
        #expect(try await fixture.sessions("bob") == 1)
        #expect(try await fixture.sessions("kim", at: "other") == 1)
        await fixture.server.stop()
    }

    @Test func `S-46: unsigned, of another issuer or key, over, for another connection, or again: refused`()
        async throws
    {
        let fixture = try await SAMLFixture.start()
        _ = try await signIn(fixture, id: "_a1")
        let good = fixture.logoutRequest()
        let foreign = fixture.logoutRequest(issuer: "https://other.example/metadata")
        let elsewhere = fixture.logoutRequest(at: "other")
        let over = fixture.logoutRequest(issued: -200)
        let old = fixture.logoutRequest(issued: -400).replacing(#/ NotOnOrAfter="[^"]*"/#, with: "")
        for (index, text) in [foreign, elsewhere, over, old].enumerated() {
            #expect(try await bring(SAMLFixture.query(text), fixture).status == 400, "\(index)")
            #expect(try await bring(["SAMLRequest": try Self.signed(text)], fixture).status == 400, "\(index)")
        }
        let unsigned = try SAMLFixture.query(good).split(separator: "&")[0]
        #expect(try await bring(String(unsigned), fixture).status == 400)
        #expect(try await bring(["SAMLRequest": Base64.text(Array(good.utf8))], fixture).status == 400)
        #expect(try await bring(SAMLFixture.query(good, by: SAMLFixture.serverKey), fixture).status == 400)
        #expect(
            try await bring(["SAMLRequest": try Self.signed(good, by: SAMLFixture.serverKey)], fixture).status == 400)
        let changed = try XMLLibrary.sign(Array(good.utf8), .root, privateKey: SAMLFixture.key.pem)
        let other = String(decoding: changed, as: UTF8.self).replacing(">kim<", with: ">bob<")
        #expect(try await bring(["SAMLRequest": Base64.text(Array(other.utf8))], fixture).status == 400)
        #expect(try await bring(SAMLFixture.query(good), fixture, to: "unknown").status == 400)
        #expect(try await fixture.sessions("kim") == 1)
        #expect(try await bring(SAMLFixture.query(good), fixture).status == 303)
        let kept = try fixture.response("kim", id: "_a3", session: "s1", at: "acme")
        #expect(try await fixture.post(kept, in: fixture.server.browser()).status != 200, "of before the sign-out")
        fixture.server.clock.advance(1)
        _ = try await signIn(fixture, id: "_a2")
        #expect(try await bring(SAMLFixture.query(good), fixture).status == 400)
        #expect(try await bring(["SAMLRequest": try Self.signed(good)], fixture).status == 400)
        #expect(try await fixture.sessions("kim") == 1)
        await fixture.server.stop()
    }

    @Test func `S-47: parameters in another order, twice, or in another spelling are refused`() async throws {
        let fixture = try await SAMLFixture.start()
        _ = try await signIn(fixture, id: "_a1")
        let query = try SAMLFixture.query(fixture.logoutRequest(), relayState: "a-state")
        let parts = query.split(separator: "&").map(String.init)
        let hostile = [
            [parts[1], parts[0], parts[2], parts[3]], [parts[0], parts[2], parts[1], parts[3]],
            [parts[0], parts[0], parts[1], parts[2], parts[3]], [parts[0], parts[1], parts[1], parts[2], parts[3]],
            parts + ["x=y"], [parts[0], "RelayState=other", parts[2], parts[3]],
            [parts[0], "RelayState=a%2Dstat%65", parts[2], parts[3]],
            [parts[0], parts[1], "SigAlg=http%3A%2F%2Fwww.w3.org%2F2000%2F09%2Fxmldsig%23rsa-sha1", parts[3]],
            [parts[0], parts[2], parts[3]],
            [parts[0], parts[1], parts[2]],
        ]
        for (index, parts) in hostile.enumerated() {
            #expect(try await bring(parts.joined(separator: "&"), fixture).status == 400, "\(index)")
        }
        #expect(try await fixture.sessions("kim") == 1)
        #expect(try await bring(query, fixture).status == 303)
        #expect(try await fixture.sessions("kim") == 0)
        let lower = try SAMLFixture.query(fixture.logoutRequest(id: "_l2"), inLowerCase: true)
        #expect(lower.contains("%2b") || lower.contains("%2f") || lower.contains("%3d"))
        #expect(try await bring(lower, fixture).status == 303, "the octets count as they came")
        await fixture.server.stop()
    }

    @Test func `S-49: a message that grows beyond its bound is refused`() async throws {
        let fixture = try await SAMLFixture.start()
        let bomb = fixture.logoutRequest().replacing(
            "</samlp:LogoutRequest>", with: String(repeating: " ", count: 300_000) + "</samlp:LogoutRequest>")
        #expect(try await bring(SAMLFixture.query(bomb), fixture).status == 400)
        await fixture.server.stop()
    }

    /// Signs out on the page, and comes to the provider.
    private func leave(_ fixture: SAMLFixture, _ browser: ScriptedBrowser) async throws -> ScriptedBrowser.Screen {
        let page = try await browser.open("/logout")
        return try await browser.submit(page, ["action": "logout"])
    }

    @Test func `a sign-out here is over before the browser leaves for the provider, and ends whatever it answers`()
        async throws
    {
        let fixture = try await SAMLFixture.start()
        for status in ["Success", "Responder"] {
            let browser = try await signIn(fixture, id: "_a-\(status)")
            let gone = try await leave(fixture, browser)
            #expect(try await fixture.sessions("kim") == 0)
            #expect(gone.page == "departure")
            let refresh = try #require(gone.header("refresh"))
            let (root, query) = try SAMLFixture.message(in: refresh)
            #expect(root.isNamed("LogoutRequest", XMLElement.Space.protocol) && query.values("Signature").count == 1)
            #expect(try root.one("NameID")?.plainText() == "kim")
            #expect(try root.one("SessionIndex", XMLElement.Space.protocol)?.plainText() == "s1")
            let (id, state) = (try #require(root["ID"]), try #require(query.values("RelayState").first))
            let wrong = fixture.logoutResponse(to: "_other")
            let refused = try SAMLFixture.query(wrong, "SAMLResponse", relayState: state)
            #expect(try await browser.open(slo(refused)).status == 400)
            let answer = try SAMLFixture.query(
                fixture.logoutResponse(to: id, status: status), "SAMLResponse", relayState: state)
            let broken = answer.replacing("Signature=", with: "Signature=A")
            #expect(try await fixture.server.browser().open(slo(broken)).status == 400)
            let end = try await browser.open(slo(answer))
            #expect(end.status == 200 && end.page == "signed-out")
            #expect(try await browser.open(slo(answer)).status == 400, "it counts once")
        }
        await fixture.server.stop()
    }

    private func slo(_ query: String) -> String { "/saml/acme/slo?" + query }

    @Test func `a provider that takes forms gets signed forms`() async throws {
        let fixture = try await SAMLFixture.start {
            $0.logoutBinding = .post
            $0.logoutResponseURL = "https://idp.example/slo/answers"
            $0.signOnBinding = .post
        }
        let browser = try await signIn(fixture, id: "_a1")
        let gone = try await leave(fixture, browser)
        #expect(gone.page == "departure-form" && gone.formAction == "https://idp.example/slo")
        #expect(gone.header("content-security-policy")?.contains("form-action 'self' https://idp.example") == true)
        let request = try #require(gone.hiddenFields.first { $0.name == "SAMLRequest" })
        let bytes = try #require(Base64.bytes(request.value))
        let octets = try XMLLibrary.verify(
            bytes, .root, certificate: try ProviderCertificate(SAMLFixture.serverKey.certificate).pem)
        #expect(try XMLElement.read(octets).isNamed("LogoutRequest", XMLElement.Space.protocol))
        let state = try #require(gone.hiddenFields.first { $0.name == "RelayState" })
        let id = try #require(try XMLElement.read(octets)["ID"])
        let answer = try Self.signed(fixture.logoutResponse(to: id))
        let end = try await bring(["SAMLResponse": answer, "RelayState": state.value], fixture)
        #expect(end.status == 200 && end.body.contains("signed-out"))
        let back = try await bring(["SAMLRequest": try Self.signed(fixture.logoutRequest())], fixture)
        #expect(back.status == 200 && back.body.contains(#"action="https://idp.example/slo/answers""#))
        await fixture.server.stop()
    }

    @Test func `a provider without the service is not asked`() async throws {
        let fixture = try await SAMLFixture.start { $0.logoutURL = nil }
        let browser = try await signIn(fixture, id: "_a1")
        #expect(try await leave(fixture, browser).page == "signed-out")
        #expect(try await bring(SAMLFixture.query(fixture.logoutRequest()), fixture).status == 400)
        await fixture.server.stop()
    }
}
