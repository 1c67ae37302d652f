import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Sign-in by touch: under attack")
struct BiometricAttackTests {
    @Test func `set-up wants somebody who is signed in, by the same app`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        for token in [nil, "not-a-token"] {
            let answer = try await key.send(try key.request("setup", try await key.challenge()), token: token)
            #expect(answer.status == 401 && answer.error == "invalid_grant")
            #expect(answer.json["error_description"] == "biometric setup requires authenticated user")
        }
        let others = try await server.tokens(TestClients.portal)
        let answer = try await key.send(
            try key.request("setup", try await key.challenge()), token: others.accessToken)
        #expect(answer.error == "invalid_grant" && !answer.saysInvalidCredentials)
        let mine = try await server.tokens(TouchedKey.app)
        _ = try await server.post("/oauth2/revoke", FormParameters(["token": mine.refreshToken]), as: TouchedKey.app)
        let over = try await key.send(try key.request("setup", try await key.challenge()), token: mine.accessToken)
        #expect(over.status == 401)
        #expect(try await key.stored().isEmpty)
        await server.stop()
    }

    @Test func `48: a key opens no more than the session had that it was set up in`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let narrow = try await server.tokens(TouchedKey.app) { $0.scope = "openid profile" }
        #expect(
            try await key.send(try key.request("setup", try await key.challenge()), token: narrow.accessToken).status
                == 200)
        let answer = try await key.authenticate()
        #expect(answer.json["scope"]?.stringValue == "openid profile")
        #expect(try await key.authenticate(scope: "openid api.read").json["scope"]?.stringValue == "openid")
        await server.stop()
    }

    @Test func `71: set-up wants a recent sign-in, to the second`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await server.tokens(TouchedKey.app)
        server.clock.advance(Limits.sensitiveSeconds)
        let renewed = try await server.refresh(tokens.refreshToken, TouchedKey.app)
        let token = try #require(renewed.json["access_token"]?.stringValue)
        let answer = try await key.send(try key.request("setup", try await key.challenge()), token: token)
        #expect(answer.error == "interaction_required")
        #expect(try await key.stored().isEmpty)
        await server.stop()
    }

    @Test func `an answered request that comes again costs its owner nothing`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let copy = try key.request("authenticate", try await key.challenge())
        #expect(try await key.send(copy).status == 200)
        for _ in 0..<Limits.biometricSignInsMax { #expect(try await key.send(copy).saysInvalidCredentials) }
        #expect(try await key.authenticate().status == 200)
        await server.stop()
    }

    @Test func `48: a token that was made for less sets up nothing`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await server.tokens(TouchedKey.app)
        let lesser = try await server.refresh(tokens.refreshToken, TouchedKey.app, scope: "openid")
        let token = try #require(lesser.json["access_token"]?.stringValue)
        let answer = try await key.send(try key.request("setup", try await key.challenge()), token: token)
        #expect(answer.error == "invalid_scope")
        #expect(try await key.stored().isEmpty)
        await server.stop()
    }

    @Test func `8: nothing stands twice in a form, also where no token is issued`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let token = try await server.tokens(TouchedKey.app).accessToken
        var form = FormParameters([
            "grant_type": GrantType.biometricRequest.rawValue,
            "jwt": try key.request("setup", try await key.challenge()),
        ])
        form.append("grant_type", "client_credentials")
        let answer = try await server.post(
            TouchedKey.path, form, as: TouchedKey.app, headers: [("Authorization", "Bearer \(token)")])
        #expect(answer.error == "invalid_request")
        await server.stop()
    }

    @Test func `nobody adds a key that they do not have`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let stranger = try TouchedKey(server)
        let token = try await server.tokens(TouchedKey.app).accessToken
        let unsigned = try key.request("setup", try await key.challenge(), signedBy: stranger.key)
        #expect(try await key.send(unsigned, token: token).saysInvalidCredentials)
        #expect(try await key.stored().isEmpty)
        await server.stop()
    }

    @Test func `a challenge counts once, for a hundred at the same time too`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let jwt = try key.request("authenticate", try await key.challenge())
        let answers = try await withThrowingTaskGroup(of: EndpointAnswer.self) { group in
            for _ in 0..<100 { group.addTask { try await key.send(jwt) } }
            return try await group.reduce(into: [EndpointAnswer]()) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 1)
        #expect(answers.count(where: \.saysInvalidCredentials) == 99)
        await server.stop()
    }

    @Test func `a challenge is the server's own, for this, and young`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let good = try await key.challenge()
        for challenge in ["", "invented", String(good.dropLast()) + (good.hasSuffix("A") ? "B" : "A")] {
            #expect(try await key.send(try key.request("authenticate", challenge)).saysInvalidCredentials)
        }
        server.clock.advance(Limits.challengeSeconds - 1)
        let last = try await key.send(try key.request("authenticate", good))
        #expect(last.status == 200)
        let old = try await key.challenge()
        server.clock.advance(Limits.challengeSeconds)
        #expect(try await key.send(try key.request("authenticate", old)).saysInvalidCredentials)
        let answer = try await server.send(
            "POST", "/oauth2/challenge", headers: [("Content-Type", "application/json")], body: #"{"purpose":"x"}"#)
        #expect(answer.status == 400 && answer.json["error"]?["reason"] == "ValidationFailed")
        await server.stop()
    }

    @Test func `a clock may be five minutes off, and no more`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        for (off, isGood) in [(-359, true), (-360, false), (300, true), (301, false)] as [(Int64, Bool)] {
            let jwt = try key.request("authenticate", try await key.challenge(), secondsOff: off)
            let answer = try await key.send(jwt)
            #expect(answer.status == (isGood ? 200 : 400) && answer.saysInvalidCredentials == !isGood, "\(off)")
        }
        let long = try key.request("authenticate", try await key.challenge(), seconds: 601)
        #expect(try await key.send(long).saysInvalidCredentials)
        await server.stop()
    }

    @Test func `every other flaw is the same one word`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let unknown = try TouchedKey(server)
        _ = try await key.setUp()
        let flawed = [
            "not a token", try key.request("authenticate", try await key.challenge(), signedBy: unknown.key),
            try key.request("authenticate", try await key.challenge(), type: "JWT"),
            try key.request("authenticate", try await key.challenge(), shows: key.key.publicKey),
            try unknown.request("authenticate", try await key.challenge()),
        ]
        for jwt in flawed { #expect(try await key.send(jwt).saysInvalidCredentials) }
        let action = try await key.send(try key.request("promote", try await key.challenge()))
        #expect(action.error == "invalid_request")
        let nothing = try await server.post(
            TouchedKey.path, FormParameters(["grant_type": GrantType.biometricRequest.rawValue]), as: TouchedKey.app)
        #expect(nothing.error == "invalid_request")
        await server.stop()
    }

    @Test func `a key's name is taken once, and what a stranger's key is called changes nothing`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let key = try TouchedKey(server)
        _ = try await key.setUp()
        let token = try await server.tokens(TouchedKey.app).accessToken
        let thief = try SigningKey.generate(.es256)
        let jwt = try key.request(
            "setup", try await key.challenge(), signedBy: thief, shows: thief.publicKey)
        #expect(try await key.send(jwt, token: token).saysInvalidCredentials)
        #expect(try await key.authenticate().status == 200)
        await server.stop()
    }

    @Test func `apps of others, and apps under a FAPI profile, have no such keys`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await server.tokens(TestClients.web)
        let jwt = try key.request("setup", try await key.challenge())
        let answer = try await server.post(
            TouchedKey.path,
            FormParameters([
                "grant_type": GrantType.biometricRequest.rawValue, "jwt": jwt, "client_id": "web",
                "client_secret": TestClients.webSecret,
            ]), as: nil, headers: [("Authorization", "Bearer \(tokens.accessToken)")])
        #expect(["unauthorized_client", "invalid_client"].contains(answer.error))
        await server.stop()
    }

    @Test func `a disabled user's key opens nothing, and what it opened is over`() async throws {
        let server = try await TestServer.start()
        let key = try TouchedKey(server)
        let tokens = try await key.setUp()
        let opened = try await key.authenticate().json["refresh_token"]?.stringValue
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) {
            $0.user.status = .disabled
        }
        #expect(try await key.authenticate().status == 400)
        for token in [tokens.refreshToken, opened] {
            #expect(try await server.refresh(token, TouchedKey.app).error == "invalid_grant")
        }
        await server.stop()
    }
}
