import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("UserInfo as a signed token, OpenID Connect Core §5.3.2")
struct SignedUserInfoTests {
    private let world: World
    private let lines = Locked<[String]>([])

    init() throws {
        world = try World()
    }

    private func container() -> Keyturn {
        Keyturn(
            .openID(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .custom(world.store),
            browser: FakeBrowser(service: world.service), transport: world.service, ambient: world.clock.ambient,
            logger: KeyturnLogger { [lines] level, text in lines.withLock { $0.append("\(level) \(text)") } })
    }

    /// A token that the issuer signed, with the claims of an ID token and these.
    private func token(_ claims: [String: JSONValue]) async throws -> String {
        await world.service.set { $0.claims = claims }
        let token = try await world.service.idToken(nonce: nil, authTime: world.clock.now.rawValue)
        await world.service.set { $0.claims = [:] }
        return token
    }

    /// The next answer of the userinfo endpoint.
    private func answer(_ body: String, type: String = "application/jwt") async {
        let response = HTTPResponse(status: 200, headers: [("Content-Type", type)], body: Array(body.utf8))
        await world.service.fail("/userinfo", .answer(response))
    }

    @Test(arguments: ["application/jwt", "application/jwt; charset=utf-8", "Application/JWT", "text/plain"])
    func `a signed answer is verified and used, as BankID and ProConnect send it`(_ type: String) async throws {
        let auth = container()
        await answer(try await token(["name": "Ann Signed", "email_verified": "true"]), type: type)
        let result = try await auth.authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.name == "Ann Signed" && result.userInfo.isEmailVerified == true)
        #expect(result.userInfo.source == .userInfoEndpoint)
        await answer(try await token(["name": "Ann Later"]) + "\n", type: type)
        #expect(try await auth.userInfo().name == "Ann Later")
        let asked = try #require(await world.service.requests.first { $0.url.hasSuffix("/userinfo") })
        let accept = asked.headers.first { $0.name == "Accept" }?.value
        #expect(accept == "application/json, application/jwt")
        #expect(lines.withLock { $0 }.allSatisfy { !$0.contains("userinfo") })
    }

    @Test func `what names neither issuer nor audience is taken, for both are only recommended`() async throws {
        await answer(try await token(["iss": .null, "aud": .null, "exp": .null, "name": "Ann"]))
        let result = try await container().authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.name == "Ann" && result.userInfo.source == .userInfoEndpoint)
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let code: AuthError.Code
        let claims: [String: JSONValue]
        var testDescription: String { name }
    }

    static let forgeries = [
        Forgery(name: "another issuer", code: .tokenMisdirected, claims: ["iss": "https://evil.example.com"]),
        Forgery(name: "an issuer that is no text", code: .tokenMisdirected, claims: ["iss": 1]),
        Forgery(name: "another client", code: .tokenMisdirected, claims: ["aud": "other"]),
        Forgery(name: "other clients", code: .tokenMisdirected, claims: ["aud": ["other", "third"]]),
        Forgery(name: "no client", code: .tokenMisdirected, claims: ["aud": [:]]),
        Forgery(name: "expired", code: .tokenExpired, claims: ["exp": 1_000]),
        Forgery(name: "no subject", code: .protocolViolation, claims: ["sub": .null]),
    ]

    @Test(arguments: forgeries)
    func `a signed answer that is not right is not used, and the log is told`(_ forgery: Forgery) async throws {
        let auth = container()
        await answer(try await token(forgery.claims.merging(["name": "Eve"]) { $1 }))
        let result = try await auth.authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.subject == "andy" && result.userInfo.name == nil)
        #expect(result.userInfo.source == .idToken)
        #expect(
            lines.withLock { $0 }.contains {
                $0.hasPrefix("info userinfo: ") && $0.hasSuffix("(\(forgery.code.rawValue))")
            })
        await answer(try await token(forgery.claims))
        await #expect(throws: AuthError(forgery.code, "")) { try await auth.userInfo() }
    }

    @Test func `a signed answer about another user is an error, and no session is left`() async throws {
        let auth = container()
        await answer(try await token(["sub": "mallory"]))
        await #expect(throws: AuthError(.userInfoMismatch, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(await auth.state == .signedOut)
    }

    @Test func `nothing is taken that the issuer's keys have not signed`() async throws {
        let auth = container()
        _ = try await auth.authorize(redirectURI: World.redirectURI)
        let genuine = try await token(["name": "Ann"]).split(separator: ".").map { String($0) }
        let payload = Base64URL.encode(Array(#"{"sub":"andy","name":"Eve"}"#.utf8))
        let stranger = try JWSSigner(key: SigningKey.generate(.es256), type: "JWT")
            .sign(Array(#"{"sub":"andy"}"#.utf8))
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + payload + "."
        let shared = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + "." + payload + "." + genuine[2]
        for (body, code) in [
            (genuine[0] + "." + payload + "." + genuine[2], AuthError.Code.tokenSignature),
            (stranger, .tokenSignature), (unsigned, .tokenMalformed), (shared, .tokenMalformed),
            ("eyJhbGciOiJFUzI1NiJ9", .tokenMalformed),
        ] {
            await answer(body)
            await #expect(throws: AuthError(code, "")) { try await auth.userInfo() }
        }
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `an encrypted answer is refused by name`() async throws {
        let auth = container()
        let encrypted = "eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkExMjhHQ00ifQ.a2V5.aXY.Y2lwaGVy.dGFn"
        await answer(encrypted)
        #expect(try await auth.authorize(redirectURI: World.redirectURI).userInfo.source == .idToken)
        #expect(lines.withLock { $0 }.contains { $0.contains("encrypted") })
        await answer(encrypted)
        let error = await #expect(throws: AuthError(.unsupported, "")) { try await auth.userInfo() }
        #expect(error?.detail.contains("userinfo_encrypted_response_alg") == true)
    }

    @Test func `JSON may say that it is a token, and is read as what it is`() async throws {
        await answer(#"{"sub":"andy","name":"Ann"}"#)
        #expect(try await container().authorize(redirectURI: World.redirectURI).userInfo.name == "Ann")
    }

    @Test(arguments: [401, 403, 405, 500])
    func `the result tells where the claims are from, and the log why`(_ status: Int) async throws {
        let refusal: JSONValue = ["error": ["code": "InvalidAuthenticationToken", "message": "Wrong audience."]]
        await world.service.fail("/userinfo", .answer(FakeService.json(refusal, status: status)))
        let auth = container()
        let result = try await auth.authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.source == .idToken && result.userInfo.subject == "andy")
        let told = lines.withLock { $0 }.filter { $0.hasPrefix("info userinfo: ") }
        #expect(told.count == 1 && told.first?.contains(" \(status) ") == true)
        #expect(try await auth.userInfo().source == .userInfoEndpoint)
    }

    @Test(arguments: ["[]", #"{"name":"Ann"}"#, #"{"sub":7}"#, #"{"sub":""}"#, ""])
    func `an answer that names no user is not used`(_ body: String) async throws {
        await answer(body, type: "application/json")
        #expect(try await container().authorize(redirectURI: World.redirectURI).userInfo.source == .idToken)
    }
}
