import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Devices without a keyboard, RFC 8628")
struct DeviceTests {
    @Test func `a device waits, somebody lets it in, and it gets the tokens of who did`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        #expect(device.verificationURI == server.issuer + "/device")
        #expect(device.verificationURIComplete == server.issuer + "/device?user_code=\(device.userCode)")
        #expect(device.expiresInSeconds == 900 && device.intervalSeconds == 5)
        #expect(device.userCode.wholeMatch(of: #/[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/#) != nil)
        let early = try await server.poll(device)
        #expect(early.status == 400 && early.error == "authorization_pending")

        let browser = server.browser()
        let question = try await server.question(device.userCode, in: browser)
        #expect(question.page == "device" && question.status == 200)
        for text in ["Client television", "Andy Rhoads", device.userCode, "Did someone send you this code"] {
            #expect(question.body.contains(text), "\(text)")
        }
        server.clock.advance(5)
        #expect(try await server.poll(device).error == "authorization_pending")
        let done = try await browser.submit(question, ["action": "allow"])
        #expect(done.page == "device-done" && done.url.hasSuffix("outcome=allowed"))

        server.clock.advance(5)
        let answer = try await server.poll(device)
        let tokens = try JSONDecoder().decode(TokenResponse.self, from: Data(answer.body.utf8))
        let claims = TestServer.claims(tokens.idToken.map { Secret($0) })
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue && claims["aud"] == "television")
        #expect(claims["amr"] == ["pwd", "mca"] && claims["nonce"] == nil)
        #expect(tokens.scope == "openid profile offline_access")
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 200)
        #expect(try await server.refresh(tokens.refreshToken, TestServer.television).status == 200)
        #expect(try await server.auditCount(.deviceAllowed) == 1)
        #expect(try await server.auditCount(.grantIssued) == 1)
        await server.stop()
    }

    @Test func `a code is taken however it is typed`() async throws {
        let server = try await TestServer.startWithDevices()
        let code = try await server.device().userCode
        let letters = code.filter { $0 != "-" }
        for typed in [
            code.lowercased(), letters, " \(letters.lowercased()) ", letters.map(String.init).joined(separator: " "),
            code.replacing("-", with: "\u{2013}"), code.replacing("-", with: "."),
        ] {
            let browser = server.browser()
            let screen = try await browser.submit(try await browser.open("/device"), ["user_code": typed])
            #expect(screen.page == "login", "\(typed)")
        }
        for typed in ["", "BCDF", "BCDFGHJKL", "AEIOUAEI", "1234-5678", String(repeating: "B", count: 65)] {
            let browser = server.browser()
            let screen = try await browser.submit(try await browser.open("/device"), ["user_code": typed])
            #expect(screen.page == "device" && screen.status == 422 && screen.body.contains("role=\"alert\""))
        }
        await server.stop()
    }

    @Test func `a code in the address is filled in, and decides nothing`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let browser = server.browser()
        _ = try await server.complete(
            try await server.authorize(server.request(TestClients.portal, proof: nil), in: browser), in: browser)
        let path = try #require(device.verificationURIComplete).dropFirst(server.issuer.count)
        let entry = try await browser.open(String(path))
        #expect(entry.page == "device" && entry.body.contains("value=\"\(device.userCode)\""))
        let question = try await browser.submit(entry, ["user_code": device.userCode])
        #expect(question.page == "device" && question.body.contains("Did someone send you this code"))
        #expect(try await server.poll(device).error == "authorization_pending")
        let junk = try await browser.open("/device?user_code=%22%3E%3Cscript%3E")
        #expect(junk.page == "device" && !junk.body.contains("<script>") && junk.body.contains("value=\"\""))
        await server.stop()
    }

    @Test func `whoever refuses is believed, and so is who gives up`() async throws {
        let server = try await TestServer.startWithDevices()
        for action in ["deny", "anything"] {
            let device = try await server.device()
            let browser = server.browser()
            let question = try await server.question(device.userCode, in: browser)
            let done = try await browser.submit(question, ["action": action])
            #expect(done.page == "device-done" && done.url.hasSuffix("outcome=denied"))
            let answer = try await server.poll(device)
            #expect(answer.status == 400 && answer.error == "access_denied")
            let again = try await browser.submit(question, ["action": "allow"])
            #expect(again.url.hasSuffix("outcome=too_late"))
            #expect(try await server.poll(device).error == "access_denied")
        }
        #expect(try await server.auditCount(.deviceDenied) == 2)
        await server.stop()
    }

    @Test func `a device that asks too early waits five seconds longer, from then on`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        #expect(try await server.poll(device).error == "authorization_pending")
        server.clock.advance(2)
        #expect(try await server.poll(device).error == "slow_down")
        server.clock.advance(8)
        #expect(try await server.poll(device).error == "slow_down")
        server.clock.advance(15)
        #expect(try await server.poll(device).error == "authorization_pending")
        // Fifteen seconds is what it waits from now on; one of them is given to the network.
        server.clock.advance(13)
        #expect(try await server.poll(device).error == "slow_down")
        server.clock.advance(19)
        #expect(try await server.poll(device).error == "authorization_pending")
        // Whoever was let in gets the tokens at once.
        _ = try await server.allow(device)
        #expect(try await server.poll(device).status == 200)
        await server.stop()
    }

    @Test func `a code ends after a quarter of an hour, on the page and at the device`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let browser = server.browser()
        let question = try await server.question(device.userCode, in: browser)
        server.clock.advance(899)
        #expect(try await server.poll(device).error == "authorization_pending")
        server.clock.advance(1)
        #expect(try await server.poll(device).error == "expired_token")
        #expect(try await browser.submit(question, ["action": "allow"]).url.hasSuffix("outcome=expired"))
        #expect(try await browser.open(question.url).url.hasSuffix("outcome=expired"))
        let typed = try await browser.submit(try await browser.open("/device"), ["user_code": device.userCode])
        #expect(typed.status == 422 && typed.body.contains("has expired"))
        // An hour later nobody remembers it.
        server.clock.advance(3_600)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 100, at: server.clock.now)
        #expect(try await server.poll(device).error == "invalid_grant")
        await server.stop()
    }

    @Test func `somebody else's app is allowed what the page said, and that is remembered`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device(TestServer.printer, scope: "openid email unheard-of")
        _ = try await server.allow(device)
        let answer = try await server.poll(device, as: TestServer.printer)
        #expect(answer.json["scope"] == "openid email")
        let consent = try await server.services.stores.consents.consent(of: TestServer.subject, to: "printer")
        #expect(Set(consent.scope.names) == ["openid", "email"])
        await server.stop()
    }

    @Test func `an app that wants two factors gets nobody with one`() async throws {
        let server = try await TestServer.startWithDevices()
        let authenticator = try await server.giveAuthenticator()
        let device = try await server.device(
            TestServer.television, scope: "openid", others: ["acr_values": "urn:keyturn:acr:mfa"])
        let browser = server.browser()
        let screen = try await server.question(device.userCode, in: browser)
        #expect(screen.page != "device")
        let question = try await browser.submit(screen, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(question.page == "device" && question.body.contains(device.userCode))
        _ = try await browser.submit(question, ["action": "allow"])
        let answer = try await server.poll(device)
        #expect(
            TestServer.claims(answer.json["id_token"]?.stringValue.map { Secret($0) })["acr"] == "urn:keyturn:acr:mfa")
        await server.stop()
    }

    @Test func `whoever is signed in can be somebody else for the device`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let browser = server.browser()
        let question = try await server.question(device.userCode, in: browser)
        let login = try await browser.submit(question, ["action": "other"])
        #expect(login.page == "login")
        let again = try await server.complete(login, in: browser)
        #expect(again.page == "device" && again.body.contains(device.userCode))
        #expect(try await server.poll(device).error == "authorization_pending")
        await server.stop()
    }

    @Test func `signing out in the browser ends what has no offline access`() async throws {
        let server = try await TestServer.startWithDevices()
        for (scope, status) in [("openid", 400), ("openid offline_access", 200)] {
            let device = try await server.device(scope: scope)
            let browser = server.browser()
            _ = try await server.allow(device, in: browser)
            let token = try await server.poll(device).json["refresh_token"]?.stringValue
            let page = try await browser.open("/logout")
            _ = try await browser.submit(page, ["action": "logout"])
            #expect(try await server.refresh(token, TestServer.television).status == status, "\(scope)")
        }
        await server.stop()
    }

    @Test func `a poll costs one statement while nobody has decided, and two when the device is let in`() async throws {
        let statements = ServerStatements()
        let server = try await TestServer.startWithDevices { statements.add($0) }
        let device = try await server.device(TestServer.printer, scope: "openid")
        _ = statements.take()
        #expect(try await server.poll(device, as: TestServer.printer).error == "authorization_pending")
        #expect(statements.take().count == 1)
        #expect(try await server.poll(device, as: TestServer.printer).error == "slow_down")
        #expect(statements.take().count == 1)
        _ = try await server.allow(device)
        _ = statements.take()
        #expect(try await server.poll(device, as: TestServer.printer).status == 200)
        #expect(statements.take().filter { !$0.contains("audit") }.count == 2)
        await server.stop()
    }
}
