import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("A person signs in at Box")
struct BoxSignInTests {
    let world = BoxWorld()

    private func container(storage: SessionStorage = .memory) -> Keyturn {
        Keyturn(
            .box(clientID: "CID", clientSecret: "SEC"), storage: storage, transport: world.service,
            ambient: world.clock.ambient)
    }

    private func signIn(_ auth: Keyturn, code: String = "C") async throws -> SignInResult {
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: "myapp://callback"))
        return try await auth.finishAuthorization(callbackURL: "myapp://callback?code=\(code)&state=\(Self.state(url))")
    }

    static func state(_ url: String) -> String {
        let query = (try? FormParameters(parsing: url.split(separator: "?").last ?? "")) ?? FormParameters()
        return query.values("state").first ?? ""
    }

    @Test func `nothing is discovered, and who signed in is asked of the API`() async throws {
        let auth = container()
        let result = try await signIn(auth)
        #expect(result.idToken == nil)
        #expect(result.userInfo.subject == "11")
        #expect(result.userInfo.name == "Ann" && result.userInfo.email == "ann@example.com")
        #expect(result.scope == .none)
        #expect(await world.service.requests.map { FakeBox.path($0.url) } == ["/oauth2/token", BoxWorld.me])
        #expect(try await auth.userInfo().subject == "11")
        #expect(await auth.state.isSignedIn)
    }

    @Test func `the session is renewed, stored and ended as any other`() async throws {
        let store = MemoryStore()
        let auth = container(storage: .custom(store))
        _ = try await signIn(auth)
        world.clock.advance(3_600)
        #expect(try await auth.accessToken() == "access-2")
        let again = container(storage: .custom(store))
        #expect(try await again.accessToken() == "access-2")
        try await again.logout()
        #expect(await world.service.revoked == ["refresh-2"])
        world.clock.advance(1)
        #expect(try await auth.start().isSignedIn == false)
    }

    @Test func `whoever cannot be asked about is not signed in`() async throws {
        await world.service.fail(BoxWorld.me, .unreachable)
        let auth = container()
        await #expect(throws: AuthError(.unavailable, "")) { try await signIn(auth) }
        #expect(await auth.state.isSignedIn == false)
    }

    @Test(arguments: [("access_denied", AuthError.Code.cancelled), ("server_error", .unavailable), ("x", .refused)])
    func `giving up is told from a failure`(_ error: String, _ code: AuthError.Code) async throws {
        let auth = container()
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: "myapp://callback"))
        let back = "myapp://callback?error=\(error)&state=\(Self.state(url))"
        await #expect(throws: AuthError(code, "")) { try await auth.finishAuthorization(callbackURL: back) }
        let byHand = try ServiceAuthorization(
            BoxWorld.application, redirectURI: "https://a.example/back", transport: world.service,
            ambient: world.clock.ambient)
        let callback = "https://a.example/back?error=\(error)&state=\(byHand.state)"
        await #expect(throws: AuthError(code, "")) { try await byHand.redeem(callbackURL: callback) }
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `a callback of somebody else is refused before anything is sent`() async throws {
        let byHand = try ServiceAuthorization(
            BoxWorld.application, redirectURI: "https://a.example/back", transport: world.service,
            ambient: world.clock.ambient)
        for callback in [
            "https://a.example/back?code=c&state=wrong", "https://a.example/back?code=c",
            "https://evil.example/back?code=c&state=\(byHand.state)", "https://a.example/back?state=\(byHand.state)",
            "https://a.example/back?code=c&code=d&state=\(byHand.state)",
        ] {
            await #expect(throws: AuthError(.callbackMismatch, "")) { try await byHand.redeem(callbackURL: callback) }
        }
        #expect(await world.service.requests.isEmpty)
        let other = try ServiceAuthorization(
            BoxWorld.application, redirectURI: "https://a.example/back", transport: world.service,
            ambient: world.clock.ambient)
        #expect(other.state != byHand.state && other.url != byHand.url)
        #expect(byHand.url.contains("code_challenge_method=S256"))
        #expect(throws: AuthError(.misconfigured, "")) {
            try ServiceAuthorization(
                BoxWorld.application, redirectURI: "x://y", configuration: .box(authorizeURL: "http://evil.example/a"))
        }
    }

    @Test func `a web application goes on with it in another process`() async throws {
        let begun = try ServiceAuthorization(
            BoxWorld.application, redirectURI: "https://a.example/back?to=1", transport: world.service,
            ambient: world.clock.ambient)
        let restored = try ServiceAuthorization(
            saved: begun.saved, application: BoxWorld.application, transport: world.service,
            ambient: world.clock.ambient)
        #expect(restored.url == begun.url && restored.state == begun.state && restored.saved == begun.saved)
        #expect(!"\(begun.saved)".contains(begun.state), "it is a secret")
        await #expect(throws: AuthError(.callbackMismatch, "")) {
            try await restored.redeem(callbackURL: "https://a.example/back?code=c&state=wrong")
        }
        let verifier = try #require(try JSONValue(parsing: Array(begun.saved.exposed().utf8))["code_verifier"])
        _ = try? await restored.redeem(callbackURL: "https://a.example/back?code=c&state=\(begun.state)")
        let asked = try #require(await world.service.requests.last?.body)
        #expect(String(decoding: asked, as: UTF8.self).contains("code_verifier=\(verifier.stringValue ?? "")"))
    }

    @Test(arguments: ["", "{}", "[]", #"{"url":"https://a","state":"s","redirect_uri":"r","code_verifier":"short"}"#])
    func `what was not saved here is not taken up`(_ text: String) {
        #expect(throws: AuthError(.invalidArgument, "")) {
            try ServiceAuthorization(saved: Secret(text), application: BoxWorld.application)
        }
    }

    @Test func `there is no ID token to ask for again`() async throws {
        let auth = container()
        _ = try await signIn(auth)
        await #expect(throws: AuthError(.unsupported, "")) {
            try await auth.reauthenticate(redirectURI: "myapp://callback")
        }
    }
}
