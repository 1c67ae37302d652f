import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Devices under attack, RFC 8628 §5")
struct DeviceAttackTests {
    @Test func `8, 39, 40: what is wrong with a request is said, and costs no row`() async throws {
        let server = try await TestServer.startWithDevices()
        #expect(try await server.deviceRequest(TestClients.tool).error == "unauthorized_client")
        #expect(try await server.deviceRequest(scope: "unheard-of").error == "invalid_scope")
        #expect(try await server.deviceRequest(scope: "a\"b").error == "invalid_scope")
        #expect(try await server.deviceRequest(others: ["scope": "openid"]).error == "invalid_request")
        #expect(try await server.deviceRequest(others: ["resource": "no address"]).error == "invalid_target")
        let detailed = try await server.deviceRequest(others: ["authorization_details": "[]"])
        #expect(detailed.error == "invalid_authorization_details")
        let nobody = try await server.post("/oauth2/device_authorization", FormParameters(["scope": "openid"]))
        #expect(nobody.status == 400 && nobody.error == "invalid_client")
        var form = FormParameters()
        form.append("client_id", "printer")
        #expect(try await server.post("/oauth2/device_authorization", form).status == 400)
        #expect(try await server.get("/oauth2/device_authorization").status == 405)
        await server.stop()
    }

    @Test func `16, 17: no other site can frame these pages, or learns what is on them`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let browser = server.browser()
        let question = try await server.question(device.userCode, in: browser)
        for screen in [
            try await browser.open("/device"), question, try await browser.open("/device/done?outcome=allowed"),
        ] {
            #expect(screen.header("x-frame-options") == "DENY")
            #expect(screen.header("content-security-policy")?.contains("frame-ancestors 'none'") == true)
            #expect(screen.header("content-security-policy")?.contains("form-action 'self'") == true)
            #expect(screen.header("referrer-policy") == "no-referrer")
            #expect(screen.header("cache-control") == "no-store")
        }
        await server.stop()
    }

    @Test func `18, 20: a form of another site, browser, session or device decides nothing`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let browser = server.browser()
        let question = try await server.question(device.userCode, in: browser)
        var forged = FormParameters()
        forged.append("transaction", server.transaction(of: question))
        forged.append("action", "allow")
        #expect(try await browser.post("/device/confirm", forged).status == 403)
        var entry = FormParameters()
        entry.append("user_code", device.userCode)
        #expect(try await browser.post("/device", entry).status == 403)
        #expect(
            try await browser.post(
                "/device/confirm", Self.form(question), headers: [("Sec-Fetch-Site", "cross-site")]
            ).status == 403)
        // The question of one device is no answer about another one.
        let other = try await server.device()
        let second = try await server.question(other.userCode, in: browser)
        var mixed = FormParameters()
        for field in Self.form(question).all {
            mixed.append(field.name, field.name == "transaction" ? server.transaction(of: second) : field.value)
        }
        #expect(try await browser.post("/device/confirm", mixed).status == 403)
        // Somebody else's browser is sent to the field for codes, whatever it was sent.
        let victim = server.browser()
        _ = try await server.complete(
            try await server.authorize(server.request(TestClients.portal, proof: nil), in: victim), in: victim)
        let lured = try await victim.open(question.url)
        #expect(lured.page == "device" && !lured.body.contains(device.userCode))
        #expect(try await victim.post("/device/confirm", Self.form(question)).page == "device")
        for device in [device, other] {
            server.clock.advance(6)
            #expect(try await server.poll(device).error == "authorization_pending")
        }
        await server.stop()
    }

    private static func form(_ screen: ScriptedBrowser.Screen) -> FormParameters {
        var form = FormParameters()
        for field in screen.hiddenFields { form.append(field.name, field.value) }
        form.append("action", "allow")
        return form
    }

    @Test func `27: a code of another client or key is refused, and stays good`() async throws {
        let server = try await TestServer.startWithDevices(clients: [Self.radio])
        let prover = Prover(server)
        let thief = Prover(server)
        func header(_ prover: Prover, _ path: String = "/oauth2/token") throws -> [(String, String)] {
            [("DPoP", try prover.proof(path: path))]
        }
        let device = try await server.device(headers: try header(prover, "/oauth2/device_authorization"))
        _ = try await server.allow(device)
        #expect(try await server.poll(device, as: Self.radio, headers: header(prover)).error == "invalid_grant")
        #expect(try await server.poll(device).error == "invalid_grant")
        #expect(try await server.poll(device, headers: header(thief)).error == "invalid_grant")
        let answer = try await server.poll(device, headers: header(prover))
        #expect(answer.json["token_type"] == "DPoP")
        #expect(answer.json["cnf"]?["jkt"]?.stringValue == (try prover.thumbprint))
        let token = answer.json["refresh_token"]?.stringValue
        #expect(try await thief.refresh(token, TestServer.television, thief.proof()).error == "invalid_grant")
        #expect(try await prover.refresh(token, TestServer.television, prover.proof()).status == 200)
        await server.stop()
    }

    private static let radio = TestClients.make("radio", method: "none", secret: nil, firstParty: true, native: true) {
        $0.grantTypes = TestServer.television.metadata.grantTypes
    }

    @Test func `27: a device code is no authorization code, and the other way round`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        _ = try await server.allow(device)
        let redeemed = try await server.redeem(
            device.deviceCode, TestServer.television, proof: PKCE(ambient: .live))
        #expect(redeemed.error == "invalid_grant")
        #expect(try await server.poll(device).status == 200)
        await server.stop()
    }

    @Test func `47: whoever did not get the answer asks again, and gets the same refresh token`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        _ = try await server.allow(device)
        let first = try await server.poll(device)
        server.clock.advance(60)
        let second = try await server.poll(device)
        #expect(second.status == 200 && first.json["refresh_token"] == second.json["refresh_token"])
        server.clock.advance(1)
        let late = try await server.poll(device)
        #expect(late.status == 400 && late.error == "invalid_grant")
        // Who comes too late has ended nothing.
        let token = second.json["refresh_token"]?.stringValue
        #expect(try await server.refresh(token, TestServer.television).status == 200)
        #expect(try await server.auditCount(.deviceRepeated) == 1)
        #expect(try await server.auditCount(.deviceReplayed) == 1)
        #expect(try await server.auditCount(.grantIssued) == 1)
        await server.stop()
    }

    @Test func `45, 50: what was used is not handed out again, bound or not`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        _ = try await server.allow(device)
        let token = try await server.poll(device).json["refresh_token"]?.stringValue
        #expect(try await server.refresh(token, TestServer.television).status == 200)
        #expect(try await server.poll(device).error == "invalid_grant")

        let prover = Prover(server)
        let bound = try await server.device()
        _ = try await server.allow(bound)
        let first = try await server.poll(bound, headers: [("DPoP", try prover.proof())])
        let repeated = try await server.poll(bound, headers: [("DPoP", try prover.proof())])
        #expect(repeated.json["refresh_token"] == first.json["refresh_token"])
        #expect(try await server.poll(bound, headers: [("DPoP", try Prover(server).proof())]).error == "invalid_grant")
        server.clock.advance(1)
        let kept = first.json["refresh_token"]?.stringValue
        #expect(try await prover.refresh(kept, TestServer.television, prover.proof()).status == 200)
        #expect(try await server.poll(bound, headers: [("DPoP", try prover.proof())]).error == "invalid_grant")
        await server.stop()
    }

    @Test func `51: a device that was let in and has not asked yet is shut out with everything else`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        _ = try await server.allow(device)
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .credentialChanged, at: server.clock.now)
        #expect(try await server.poll(device).error == "invalid_grant")
        await server.stop()
    }

    @Test func `85: a network guesses twenty codes, and a signed-in person has tries of their own`() async throws {
        let server = try await TestServer.startWithDevices(trustsForwarding: true)
        let device = try await server.device()
        let browser = server.browser()
        func type(_ code: String, from address: String) async throws -> ScriptedBrowser.Screen {
            let entry = try await browser.open("/device")
            var form = FormParameters()
            for field in entry.hiddenFields { form.append(field.name, field.value) }
            form.append("user_code", code)
            return try await browser.post("/device", form, headers: [("X-Forwarded-For", address)])
        }
        for number in 1...20 {
            #expect(try await type("BCDF-GHJK", from: "192.0.2.1").status == 422, "\(number)")
        }
        let last = try await type(device.userCode, from: "192.0.2.1")
        #expect(last.status == 429 && last.page == "device" && last.header("retry-after") != nil)
        #expect(try await type(device.userCode, from: "192.0.2.2").page == "login")
        // Whoever is signed in is not held up by their neighbours.
        let login = try await type(device.userCode, from: "192.0.2.2")
        _ = try await server.complete(login, in: browser)
        #expect(try await type(device.userCode, from: "192.0.2.1").body.contains(device.userCode))
        for _ in 1...20 { _ = try await type("BCDF-GHJK", from: "192.0.2.9") }
        #expect(try await type(device.userCode, from: "192.0.2.9").status == 429)
        #expect(try await server.auditCount(.deviceCodeThrottled) == 2)
        await server.stop()
    }

    @Test func `85: when strangers have guessed too often, whoever types signs in first`() async throws {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let charge = RateLimitCharge(
            "device-code:strangers", max: Limits.userCodeTriesOfStrangersMax,
            windowSeconds: Limits.attemptWindowSeconds)
        for _ in 0..<Limits.userCodeTriesOfStrangersMax {
            _ = try await server.services.stores.rateLimits.spend([charge], at: server.clock.now)
        }
        let browser = server.browser()
        let login = try await browser.submit(try await browser.open("/device"), ["user_code": device.userCode])
        #expect(login.page == "login")
        let entry = try await server.complete(login, in: browser)
        #expect(entry.page == "device" && entry.body.contains("value=\"\(device.userCode)\""))
        let question = try await browser.submit(entry, ["user_code": device.userCode])
        #expect(question.body.contains("Client television"))
        await server.stop()
    }

    @Test func `a network that asks for codes without end is held up, and a client with a secret is not`() async throws
    {
        let server = try await TestServer.startWithDevices(trustsForwarding: true)
        let charge = RateLimitCharge(
            "device:192.0.2.1", max: Limits.deviceCodesPerNetworkMax, windowSeconds: Limits.sendWindowSeconds)
        for _ in 0..<Limits.deviceCodesPerNetworkMax {
            _ = try await server.services.stores.rateLimits.spend([charge], at: server.clock.now)
        }
        let flooding = [("X-Forwarded-For", "192.0.2.1")]
        let refused = try await server.deviceRequest(headers: flooding)
        #expect(refused.status == 429 && refused.headers["retry-after"] == "3600")
        #expect(try await server.deviceRequest(headers: [("X-Forwarded-For", "192.0.2.2")]).status == 200)
        #expect(try await server.deviceRequest(TestServer.printer, headers: flooding).status == 200)
        server.clock.advance(3_600)
        #expect(try await server.deviceRequest(headers: flooding).status == 200)
        await server.stop()
    }

    @Test func `26: of a hundred polls at once all get one grant, and of a hundred decisions one is made`() async throws
    {
        let server = try await TestServer.startWithDevices()
        let device = try await server.device()
        let browser = server.browser()
        let question = try await server.question(device.userCode, in: browser)
        let outcomes = try await race(100) { number -> String in
            switch number % 4 {
            case 0: return try await browser.submit(question, ["action": "allow"]).url
            case 1: return try await browser.submit(question, ["action": "deny"]).url
            default:
                let answer = try await server.poll(device)
                return answer.json["refresh_token"]?.stringValue ?? answer.error ?? ""
            }
        }
        let decided = outcomes.filter { $0.hasSuffix("outcome=allowed") || $0.hasSuffix("outcome=denied") }
        #expect(decided.count == 1)
        let isAllowed = decided.first?.hasSuffix("allowed") == true
        let last = try await server.poll(device)
        #expect(last.status == (isAllowed ? 200 : 400))
        let tokens = Set(outcomes.filter { !$0.contains("outcome=") && !$0.contains("_") || $0.count == 66 })
        #expect(tokens.count <= 1)
        #expect(try await server.auditCount(.grantIssued) == (isAllowed ? 1 : 0))
        await server.stop()
    }

    private func race<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
