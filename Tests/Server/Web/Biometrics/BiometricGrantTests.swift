import Foundation
import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Sign-in by touch: the grant")
struct BiometricGrantTests {
    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `a key that was set up signs its owner in, and the tokens say how`(_ algorithm: SignatureAlgorithm)
        async throws
    {
        let server = try await TestServer.start()
        let key = try TouchedKey(server, algorithm)
        let tokens = try await server.tokens(TouchedKey.app)
        let setUp = try await key.send(
            try key.request("setup", try await key.challenge()), token: tokens.accessToken)
        #expect(setUp.status == 200 && setUp.body.isEmpty)
        server.clock.advance(100)
        let answer = try await key.authenticate(scope: "openid profile offline_access")
        #expect(answer.status == 200, "\(answer.body)")
        let idToken = try #require(answer.json["id_token"]?.stringValue)
        let claims = try JSONValue(parsing: try UnverifiedJWS(idToken).unverifiedPayload)
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(claims["amr"]?.stringArrayValue == ["x_biometric"])
        #expect(claims[UserClaims.canReauthenticate]?.boolValue == true)
        #expect(claims["auth_time"]?.integerValue == server.clock.now.rawValue)
        let access = try #require(answer.json["access_token"]?.stringValue)
        #expect(try await server.get("/oauth2/userinfo", token: access).status == 200)
        let refresh = try #require(answer.json["refresh_token"]?.stringValue)
        #expect(try await server.refresh(refresh, TouchedKey.app).status == 200)
        #expect(try await server.refresh(tokens.refreshToken, TouchedKey.app).status == 200, "the first one goes on")
        #expect(try await server.audited().isSuperset(of: ["biometric.added", "grant.issued"]))
        await server.stop()
    }

    @Test func `a sign-in by touch from another country is recorded and told, and its dispute ends the key`()
        async throws
    {
        var file = CountryFile()
        file.add("192.0.2.0", 24, CountryFile.place("DE"))
        file.add("203.0.113.0", 24, CountryFile.place("AU"))
        let server = try await TestServer.startWithNotices(
            countries: try CountryDatabase(path: try file.write()), trustsForwarding: true)
        try await server.enter(server.browser(), from: "192.0.2.1")
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        for (address, signals) in [("192.0.2.1", nil), ("203.0.113.9", "new_country")] {
            let sent = try await server.notices().count
            server.clock.advance(1)
            let answer = try await key.send(
                try key.request("authenticate", try await key.challenge()), headers: [("X-Forwarded-For", address)])
            #expect(answer.status == 200, "\(answer.body)")
            #expect(try await server.newestSignIn() == ["x_biometric", signals])
            #expect(try await server.notices().count == sent + (signals == nil ? 0 : 1))
        }
        let link = server.path(try #require(try await server.notices().last?.links.first))
        let reader = server.browser()
        _ = try await reader.submit(try await reader.open(link), [:])
        #expect(try await key.authenticate().saysInvalidCredentials)
        await server.stop()
    }

    @Test func `each key has one session: the next ends the last, and nobody else's`() async throws {
        let server = try await TestServer.start()
        let phone = try TouchedKey(server)
        let tablet = try TouchedKey(server)
        _ = try await phone.setUp()
        _ = try await tablet.setUp()
        let first = try await phone.authenticate().json["refresh_token"]?.stringValue
        let other = try await tablet.authenticate().json["refresh_token"]?.stringValue
        let second = try await phone.authenticate().json["refresh_token"]?.stringValue
        #expect(try await server.refresh(first, TouchedKey.app).error == "invalid_grant")
        #expect(try await server.refresh(second, TouchedKey.app).status == 200)
        #expect(try await server.refresh(other, TouchedKey.app).status == 200)
        await server.stop()
    }

    @Test func `a session that a key opens can be bound to another key, as any`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let prover = Prover(server)
        let answer = try await key.send(
            try key.request("authenticate", try await key.challenge()), headers: [("DPoP", try prover.proof())])
        #expect(answer.json["token_type"] == "DPoP")
        let refresh = answer.json["refresh_token"]?.stringValue
        #expect(try await prover.refresh(refresh, TouchedKey.app, nil).error == "invalid_grant")
        #expect(try await prover.refresh(refresh, TouchedKey.app, prover.proof()).status == 200)
        await server.stop()
    }

    @Test func `settings show the device, and removing it ends the key and what it opened`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await key.setUp()
        let opened = try await key.authenticate().json["refresh_token"]?.stringValue
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        #expect(page.body.contains("Andy&#39;s phone") && page.hidden("kind").contains("key"))
        let done = try await server.send(page, in: browser, ["action": "end", "kind": "key", "id": key.id])
        #expect(done.hasNotice && !done.hidden("kind").contains("key"))
        #expect(try await key.authenticate().saysInvalidCredentials)
        #expect(try await server.refresh(opened, TouchedKey.app).error == "invalid_grant")
        #expect(try await server.refresh(tokens.refreshToken, TouchedKey.app).status == 200)
        #expect(try await server.audited().contains("biometric.removed"))
        await server.stop()
    }

    @Test func `ending the app in the settings ends its key too, and no other app's`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await key.setUp()
        let other = TestClients.make("reader", method: "none", secret: nil, firstParty: true, native: true)
        try await server.services.stores.clients.put(other, at: server.clock.now)
        try await server.services.clients.reload()
        let reader = try TouchedKey(server)
        _ = try await reader.setUp(other)
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        let grant = try #require(
            try await server.services.stores.grants.grants(
                of: TestServer.subject, limit: 10, at: server.clock.now
            ).first { $0.clientID == TouchedKey.app.id })
        let done = try await server.send(page, in: browser, ["action": "end", "kind": "grant", "id": grant.id.text])
        #expect(done.hasNotice)
        #expect(try await server.refresh(tokens.refreshToken, TouchedKey.app).error == "invalid_grant")
        let used = try await key.send(try key.request("authenticate", try await key.challenge()))
        #expect(used.saysInvalidCredentials)
        let readerKeys = try await server.services.stores.biometrics.keys(of: TestServer.subject)
        #expect(readerKeys.map(\.id) == [reader.id])
        #expect(try await server.message(to: TestServer.username).kind == .biometricKeyRemoved)
        await server.stop()
    }

    @Test func `nobody removes somebody else's key`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser, as: "bea@example.com")
        _ = try await server.send(page, in: browser, ["action": "end", "kind": "key", "id": key.id])
        #expect(try await key.authenticate().status == 200)
        await server.stop()
    }

    @Test func `a new password, and signing out everywhere, end every key but the one in use`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let opened = try await key.authenticate().json["refresh_token"]?.stringValue
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(try await key.stored().isEmpty)
        #expect(try await key.authenticate().saysInvalidCredentials)
        #expect(try await server.refresh(opened, TouchedKey.app).error == "invalid_grant")
        await server.stop()
    }

    @Test func `an owner keeps the keys that were used last`() async throws {
        let server = try await TestServer.start()
        let oldest = try TouchedKey(server)
        _ = try await oldest.setUp()
        var keys: [TouchedKey] = []
        for _ in 0..<Limits.biometricKeysOfUserMax {
            server.clock.advance(400)
            let key = try TouchedKey(server)
            let token = try await server.tokens(TouchedKey.app).accessToken
            let answer = try await key.send(
                try key.request("setup", try await key.challenge()), token: token)
            #expect(answer.status == 200, "\(answer.body)")
            keys.append(key)
        }
        #expect(try await oldest.authenticate().saysInvalidCredentials)
        #expect(try await keys[0].authenticate().status == 200)
        #expect(try await oldest.stored().count == Limits.biometricKeysOfUserMax)
        await server.stop()
    }

    @Test func `a key that nobody used for long is removed`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let end = server.clock.now + Limits.biometricKeyIdleSeconds
        _ = try await server.services.stores.maintenance.removeExpired(limit: 10, at: end + -1)
        #expect(try await key.stored().count == 1)
        _ = try await server.services.stores.maintenance.removeExpired(limit: 10, at: end)
        #expect(try await key.stored().isEmpty)
        await server.stop()
    }

    @Test func `one user sets up ten keys an hour, so that nobody replaces all of them at once`() async throws {
        let server = try await TestServer.start()
        let own = try TouchedKey(server)
        _ = try await own.setUp()
        let token = try await server.tokens(TouchedKey.app).accessToken
        var refused = 0
        for _ in 0..<20 {
            let key = try TouchedKey(server)
            let answer = try await key.send(try key.request("setup", try await key.challenge()), token: token)
            if answer.error == "temporarily_unavailable" { refused += 1 }
        }
        #expect(refused == 20 + 1 - Int(Limits.biometricSetUpsMax))
        #expect(try await own.authenticate().status == 200)
        await server.stop()
    }

    @Test func `whoever signs out of a session that a key opened is signed out`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let first = try await key.setUp()
        let opened = try await key.authenticate().json
        let hint = try #require(opened["id_token"]?.stringValue)
        let screen = try await server.browser().open(
            "/oauth2/end_session?\(FormParameters(["id_token_hint": hint]).encoded)")
        #expect(screen.page == "signed-out")
        #expect(
            try await server.refresh(opened["refresh_token"]?.stringValue, TouchedKey.app).error == "invalid_grant")
        #expect(try await server.refresh(first.refreshToken, TouchedKey.app).status == 200, "and of no other one")
        await server.stop()
    }

    @Test func `an authenticator is not gone around by a key that was set up without it`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await key.setUp()
        let now = server.clock.now
        let owner = AuthenticatorOwner.user(TestServer.subject)
        let authenticator = StoredTOTP(
            id: Ambient.live.randomBytes(16), sealed: [1], isConfirmed: false, usedStep: 0,
            begunIn: nil)
        _ = try await server.services.stores.authenticators.add(
            authenticator, of: owner, replaces: true, pendingMax: 1, expiresAt: now + 600, at: now)
        #expect(try await server.services.stores.authenticators.accept(step: 1, of: authenticator.id, at: now))
        let answer = try await key.authenticate()
        #expect(answer.error == "interaction_required" && !answer.saysInvalidCredentials)
        let other = try TouchedKey(server)
        let setUp = try await other.send(
            try other.request("setup", try await other.challenge()), token: tokens.accessToken)
        #expect(setUp.error == "interaction_required")
        await server.stop()
    }

    @Test func `an app that wants two factors does not get one for two`() async throws {
        let strict = TestClients.make("strict", method: "none", secret: nil, firstParty: true) {
            $0.defaultACRValues = [AuthenticationFacts.severalFactorsClass]
        }
        let server = try await TestServer.start(clients: [strict])
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let foreign = try await key.send(try key.request("authenticate", try await key.challenge()), as: strict)
        #expect(foreign.saysInvalidCredentials, "a key belongs to the app that it was set up in")
        await server.stop()
    }
}
