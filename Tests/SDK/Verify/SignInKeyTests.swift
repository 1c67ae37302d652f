import KeyturnBase
import KeyturnVerify
import Testing

@Suite("When keys are asked for again")
struct SignInKeyTests {
    static let now = TestIssuer.now
    let old = TestIssuer(keyID: "old")
    let new = TestIssuer(keyID: "new")
    let transport: ScriptedTransport
    let keys: KeySet

    init() {
        transport = ScriptedTransport(keys: TestIssuer.document(old), cacheControl: "max-age=300")
        keys = KeySet(jwksURI: ScriptedTransport.keys, transport: transport)
    }

    /// What an app does with the ID token of a sign-in.
    func signIn(
        _ issuer: TestIssuer, at now: UnixTime = now, atOnce: Bool = true
    ) async throws(AuthError) -> VerifiedIDToken {
        let claims = TestIssuer.idClaims(["iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 300)])
        let verifier = IDTokenVerifier(
            issuer: TestIssuer.url, clientID: "app", keys: keys, asksForKeysAtOnce: atOnce)
        return try await verifier.verify(
            issuer.token(claims, type: "JWT"), nonce: "n-1", accessToken: nil, maxAgeSeconds: nil, at: now)
    }

    /// What a backend does with the access token of a request.
    func serve(
        _ issuer: TestIssuer, at now: UnixTime = now, header: [String: JSONValue]? = nil
    ) async throws(AuthError) -> VerifiedToken {
        let claims = TestIssuer.accessClaims(["iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 60)])
        let verifier = TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: keys)
        return try await verifier.verify(
            issuer.token(claims, header: header ?? TestIssuer.header(keyID: issuer.keyID)), at: now)
    }

    func expectRequests(_ count: Int, _ location: SourceLocation = #_sourceLocation) async {
        #expect(await transport.requests.count == count, sourceLocation: location)
    }

    @Test func `a key set that could not be fetched once is asked for by the next sign-in`() async throws {
        await transport.serve(HTTPResponse(status: 500), at: ScriptedTransport.keys)
        await #expect(throws: AuthError(.unavailable, "")) { try await signIn(old) }
        await expectRequests(1)
        await transport.serve(TestIssuer.document(old))
        #expect(try await signIn(old).subject == "user-1")
        await expectRequests(2)
    }

    @Test func `a backend without keys asks again after five seconds`() async throws {
        await transport.setDown(true)
        for second: Int64 in [0, 0, 4] {
            await #expect(throws: AuthError(.unavailable, "")) { try await serve(old, at: Self.now + second) }
        }
        await expectRequests(1)
        await transport.setDown(false)
        #expect(try await serve(old, at: Self.now + 5).subject == "user-1")
        await expectRequests(2)
    }

    @Test func `a key that was rotated a moment ago is found for a sign-in`() async throws {
        _ = try await signIn(old)
        await transport.serve(TestIssuer.document(new))
        await #expect(throws: AuthError(.tokenSignature, "")) { try await serve(new, at: Self.now + 1) }
        await expectRequests(1)
        #expect(try await signIn(new, at: Self.now + 1).subject == "user-1")
        await expectRequests(2)
        #expect(try await serve(new, at: Self.now + 1).subject == "user-1")
    }

    @Test func `a rotated key is asked for at once after a failure`() async throws {
        _ = try await signIn(old)
        await transport.setDown(true)
        await #expect(throws: AuthError(.unavailable, "")) { try await signIn(new, at: Self.now + 1) }
        await #expect(throws: AuthError(.unavailable, "")) { try await serve(new, at: Self.now + 2) }
        await expectRequests(2)
        await transport.setDown(false)
        await transport.serve(TestIssuer.document(new))
        #expect(try await signIn(new, at: Self.now + 1).subject == "user-1")
        await expectRequests(3)
    }

    @Test func `a new key under an old name is found for a sign-in, and strangers cause no request`() async throws {
        _ = try await signIn(old)
        let restarted = TestIssuer(keyID: "old")
        await transport.serve(TestIssuer.document(restarted))
        await #expect(throws: AuthError(.tokenSignature, "")) { try await serve(restarted, at: Self.now + 60) }
        await expectRequests(1)
        #expect(try await signIn(restarted, at: Self.now + 60).subject == "user-1")
        await expectRequests(2)
    }

    @Test func `55: invented ID tokens cause a request a second, and fewer where apps send them`() async throws {
        _ = try await signIn(old)
        for number in 0..<100 {
            let forger = TestIssuer(keyID: "invented-\(number)")
            await #expect(throws: AuthError(.tokenSignature, "")) { try await signIn(forger, at: Self.now + 1) }
        }
        await expectRequests(2)
        for number in 0..<100 {
            let forger = TestIssuer(keyID: "invented-\(number)")
            await #expect(throws: AuthError(.tokenSignature, "")) {
                try await signIn(forger, at: Self.now + 30, atOnce: false)
            }
        }
        await expectRequests(2)
        _ = try await signIn(old, at: Self.now + 30)
    }

    @Test func `keys without names are fetched again when none has signed, once per pause`() async throws {
        let header: [String: JSONValue] = ["alg": "ES256", "typ": "at+jwt"]
        await transport.serve(KeyDocumentTests.document([KeyDocumentTests.key(old, ["kid": nil])]))
        _ = try await serve(old, header: header)
        await transport.serve(KeyDocumentTests.document([KeyDocumentTests.key(new, ["kid": nil])]))
        for second: Int64 in [1, 29] {
            await #expect(throws: AuthError(.tokenSignature, "")) {
                try await serve(new, at: Self.now + second, header: header)
            }
        }
        await expectRequests(1)
        #expect(try await serve(new, at: Self.now + 30, header: header).subject == "user-1")
        await expectRequests(2)
    }

    @Test func `a source of keys that fetches nothing answers both questions`() async throws {
        let source = CountingKeys(try PinnedKeys(parsing: TestIssuer.document(old)))
        let verifier = IDTokenVerifier(issuer: TestIssuer.url, clientID: "app", keys: source)
        _ = try await verifier.verify(
            old.token(TestIssuer.idClaims(), type: "JWT"), nonce: "n-1", accessToken: nil, maxAgeSeconds: nil,
            at: Self.now)
        #expect(await source.count == 1)
    }
}
