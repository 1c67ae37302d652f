import KeyturnBase
import KeyturnVerify
import Testing

@Suite("Key sets")
struct KeySetTests {
    static let now = TestIssuer.now
    let old = TestIssuer(keyID: "old")
    let new = TestIssuer(keyID: "new")
    let transport: ScriptedTransport
    let verifier: TokenVerifier

    init() {
        transport = ScriptedTransport(keys: TestIssuer.document(old), cacheControl: "max-age=300")
        let keys = KeySet(jwksURI: ScriptedTransport.keys, transport: transport)
        verifier = TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: keys)
    }

    func verify(_ issuer: TestIssuer, at now: UnixTime = now) async throws(AuthError) -> VerifiedToken {
        let claims = TestIssuer.accessClaims([
            "iat": .integer(now.rawValue), "exp": .integer(now.rawValue + 60),
        ])
        return try await verifier.verify(issuer.token(claims), at: now)
    }

    @Test func `keys at hand are used without asking`() async throws {
        for second in 0..<300 { _ = try await verify(old, at: Self.now + Int64(second)) }
        #expect(await transport.requests.count == 1)
        _ = try await verify(old, at: Self.now + 300)
        #expect(await transport.requests.count == 2)
    }

    @Test func `a rotated key is found at once, and the old one is forgotten`() async throws {
        _ = try await verify(old)
        await transport.serve(TestIssuer.document(new), cacheControl: "max-age=300")
        _ = try await verify(new, at: Self.now + 30)
        #expect(await transport.requests.count == 2)
        await #expect(throws: AuthError(.tokenSignature, "")) { try await verify(old, at: Self.now + 31) }
    }

    @Test func `55: invented key names cause one request per pause`() async throws {
        _ = try await verify(old)
        for number in 0..<500 {
            let forger = TestIssuer(keyID: "invented-\(number)")
            await #expect(throws: AuthError(.tokenSignature, "")) { try await verify(forger, at: Self.now + 29) }
        }
        #expect(await transport.requests.count == 1)
        for number in 0..<500 {
            let forger = TestIssuer(keyID: "invented-\(number)")
            await #expect(throws: AuthError(.tokenSignature, "")) { try await verify(forger, at: Self.now + 30) }
        }
        #expect(await transport.requests.count == 2)
        _ = try await verify(old, at: Self.now + 30)
    }

    @Test func `55: while invented names wait for a fetch, known keys go on`() async throws {
        _ = try await verify(old)
        let gate = Gate()
        await transport.hold(at: gate)
        let forger = TestIssuer(keyID: "invented")
        let waiting = Task { try await verify(forger, at: Self.now + 60) }
        while await transport.requests.count < 2 { await Task.yield() }
        _ = try await verify(old, at: Self.now + 60)
        await gate.open()
        await #expect(throws: AuthError(.tokenSignature, "")) { _ = try await waiting.value }
    }

    @Test func `a hundred first tokens cause one request`() async throws {
        let gate = Gate()
        await transport.hold(at: gate)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await verify(old) } }
            while await transport.requests.isEmpty { await Task.yield() }
            await gate.open()
            try await group.waitForAll()
        }
        #expect(await transport.requests.count == 1)
    }

    @Test func `offline, keys at hand serve for another day and no longer`() async throws {
        _ = try await verify(old)
        await transport.setDown(true)
        _ = try await verify(old, at: Self.now + 300)
        #expect(await transport.requests.count == 2)
        _ = try await verify(old, at: Self.now + 329)
        #expect(await transport.requests.count == 2)
        _ = try await verify(old, at: Self.now + 330)
        #expect(await transport.requests.count == 3)
        _ = try await verify(old, at: Self.now + 300 + 86_399)
        await #expect(throws: AuthError(.unavailable, "")) { try await verify(old, at: Self.now + 300 + 86_400) }
        await transport.setDown(false)
        _ = try await verify(old, at: Self.now + 300 + 86_400 + 30)
    }

    @Test func `offline, a token by an unknown key is undecided, not refused`() async throws {
        _ = try await verify(old)
        await transport.setDown(true)
        await #expect(throws: AuthError(.unavailable, "")) { try await verify(new, at: Self.now + 30) }
        await #expect(throws: AuthError(.unavailable, "")) { try await verify(new, at: Self.now + 31) }
        _ = try await verify(old, at: Self.now + 32)
        #expect(await transport.requests.count == 2)
    }

    @Test func `offline from the start, nothing is decided and the issuer is not besieged`() async throws {
        await transport.setDown(true)
        for _ in 0..<100 { await #expect(throws: AuthError(.unavailable, "")) { try await verify(old) } }
        #expect(await transport.requests.count == 1)
        await transport.setDown(false)
        _ = try await verify(old, at: Self.now + 30)
    }

    @Test func `a broken key set does not replace a good one`() async throws {
        _ = try await verify(old)
        await transport.serve(Array("<html>".utf8))
        _ = try await verify(old, at: Self.now + 400)
        await transport.serve(HTTPResponse(status: 500), at: ScriptedTransport.keys)
        _ = try await verify(old, at: Self.now + 500)
        #expect(await transport.requests.count == 3)
    }

    @Test func `a clock set back is noticed, and small differences between tasks are not one`() async throws {
        _ = try await verify(old)
        _ = try await verify(old, at: Self.now - 300)
        #expect(await transport.requests.count == 1)
        _ = try await verify(old, at: Self.now - 301)
        #expect(await transport.requests.count == 2)
    }

    struct Lifetime: Sendable, CustomTestStringConvertible {
        let header: String?
        let seconds: Int64
        var testDescription: String { header ?? "none" }
    }

    static let lifetimes = [
        Lifetime(header: nil, seconds: 600), Lifetime(header: "max-age=120", seconds: 120),
        Lifetime(header: "public, Max-Age=3600, must-revalidate", seconds: 3_600),
        Lifetime(header: "max-age=1", seconds: 60), Lifetime(header: "no-store", seconds: 60),
        Lifetime(header: "no-cache, max-age=999", seconds: 60),
        Lifetime(header: "max-age=31536000", seconds: 86_400), Lifetime(header: "max-age=banana", seconds: 600),
        Lifetime(header: "max-age=99999999999999999999", seconds: 600),
    ]

    @Test(arguments: lifetimes)
    func `the issuer decides how long keys are current, within bounds`(_ lifetime: Lifetime) async throws {
        await transport.serve(TestIssuer.document(old), cacheControl: lifetime.header)
        _ = try await verify(old)
        _ = try await verify(old, at: Self.now + lifetime.seconds - 1)
        #expect(await transport.requests.count == 1)
        _ = try await verify(old, at: Self.now + lifetime.seconds)
        #expect(await transport.requests.count == 2)
    }

    @Test func `a key set with too many keys, or too large, is refused`() async throws {
        let keys = [JSONValue](repeating: [:], count: VerifyLimits.keySetMembers) + [old.publicKey]
        await transport.serve(JSONValue.object(["keys": .array(keys)]).serialized)
        await #expect(throws: AuthError(.protocolViolation, "")) { try await verify(old) }
        let padding = JSONValue.string(String(repeating: " ", count: VerifyLimits.keySetBytes))
        await transport.serve(JSONValue.object(["keys": [], "padding": padding]).serialized)
        await #expect(throws: AuthError(.protocolViolation, "")) { try await verify(old, at: Self.now + 30) }
    }

    @Test func `a key for encryption opens nothing`() async throws {
        guard case .object(var key) = old.publicKey else { return }
        key["use"] = "enc"
        await transport.serve(JSONValue.object(["keys": [.object(key)]]).serialized)
        await #expect(throws: AuthError(.tokenSignature, "")) { try await verify(old) }
    }

    @Test func `a token without a key name is tried with the keys of its algorithm`() async throws {
        await transport.serve(TestIssuer.document(new, old))
        let token = old.token(TestIssuer.accessClaims(), header: ["alg": "ES256", "typ": "at+jwt"])
        #expect(try await verifier.verify(token, at: Self.now).subject == "user-1")
    }

    @Test func `one caller's cancellation does not end the fetch of others`() async throws {
        let gate = Gate()
        await transport.hold(at: gate)
        let impatient = Task { try await verify(old) }
        while await transport.requests.isEmpty { await Task.yield() }
        let patient = Task { try await verify(old) }
        impatient.cancel()
        await gate.open()
        #expect(try await patient.value.subject == "user-1")
        #expect(await transport.requests.count == 1)
    }
}

@Suite("Discovery, OpenID Connect Discovery §4")
struct DiscoveryTests {
    let issuer = TestIssuer()

    func transport(for name: String, at base: String = TestIssuer.url) -> ScriptedTransport {
        let metadata: JSONValue = ["issuer": .string(name), "jwks_uri": .string(ScriptedTransport.keys)]
        return ScriptedTransport([
            base + "/.well-known/openid-configuration": ScriptedTransport.answer(metadata.serialized),
            ScriptedTransport.keys: ScriptedTransport.answer(TestIssuer.document(issuer)),
        ])
    }

    @Test func `keys are found through the issuer, which is asked once`() async throws {
        let transport = transport(for: TestIssuer.url)
        let keys = KeySet(issuer: TestIssuer.url, transport: transport)
        let verifier = TokenVerifier(issuer: TestIssuer.url, audience: "api", keys: keys)
        try await keys.warmUp(at: TestIssuer.now)
        _ = try await verifier.verify(issuer.token(TestIssuer.accessClaims()), at: TestIssuer.now)
        #expect(await transport.requests.count == 2)
        try await keys.warmUp(at: TestIssuer.now + 600)
        #expect(await transport.requests.count == 3)
        await transport.serve(HTTPResponse(status: 404), at: ScriptedTransport.keys)
        try await keys.warmUp(at: TestIssuer.now + 1_200)
        try await keys.warmUp(at: TestIssuer.now + 1_230)
        #expect(await transport.requests.count == 6)
    }

    @Test(arguments: ["https://evil.example.com", TestIssuer.url + "/", "HTTPS://id.example.com", ""])
    func `metadata that names another issuer is refused`(_ name: String) async throws {
        let keys = KeySet(issuer: TestIssuer.url, transport: transport(for: name))
        await #expect(throws: AuthError(.protocolViolation, "")) { try await keys.warmUp(at: TestIssuer.now) }
    }

    @Test func `an issuer with a slash at its end keeps it`() async throws {
        let keys = KeySet(issuer: TestIssuer.url + "/", transport: transport(for: TestIssuer.url + "/"))
        try await keys.warmUp(at: TestIssuer.now)
    }

    @Test func `metadata that names two issuers is refused`() async throws {
        let text = #"{"issuer":"https://evil.example.com","issuer":"https://id.example.com"}"#
        let transport = ScriptedTransport([
            TestIssuer.url + "/.well-known/openid-configuration": ScriptedTransport.answer(Array(text.utf8))
        ])
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await Discovery(transport: transport).metadata(of: TestIssuer.url)
        }
    }
}
