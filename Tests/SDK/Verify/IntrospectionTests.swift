import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Introspection, RFC 7662")
struct IntrospectionTests {
    static let now = TestIssuer.now
    static let endpoint = TestIssuer.url + "/introspect"
    let transport = ScriptedTransport()

    func introspection(cacheSeconds: Int64 = 0, audience: String? = "api") -> Introspection {
        Introspection(
            endpoint: Self.endpoint, clientID: "api:1", clientSecret: Secret("s e"), audience: audience,
            cacheSeconds: cacheSeconds, transport: transport)
    }

    func serve(_ answer: [String: JSONValue]) async {
        await transport.serve(JSONValue.object(answer).serialized, at: Self.endpoint)
    }

    static let active: [String: JSONValue] = [
        "active": true, "sub": "user-1", "client_id": "app", "aud": "api", "scope": "read",
        "exp": .integer(now.rawValue + 60), "auth_time": .integer(now.rawValue - 5), "acr": "mfa",
    ]

    @Test func `an active token gives its claims, and the question carries our credentials`() async throws {
        await serve(Self.active)
        let token = try await introspection().ask(UnverifiedToken("a b"), at: Self.now).get()
        #expect(token.subject == "user-1")
        #expect(token.clientID == "app")
        #expect(token.scope == Scope("read"))
        #expect(token.authTime == Self.now - 5)
        #expect(token.acr == "mfa")
        let request = try #require(await transport.requests.first)
        #expect(request.method == "POST")
        #expect(request.headers.contains { $0 == ("Authorization", "Basic YXBpJTNBMTpzJTIwZQ==") })
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == "token=a%20b&token_type_hint=access_token")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let changes: [String: JSONValue]
        var testDescription: String { name }
    }

    static let inactive = [
        Case(name: "the server says so", changes: ["active": false]),
        Case(name: "expired by our clock", changes: ["exp": .integer(now.rawValue)]),
        Case(name: "67: for somebody else", changes: ["aud": ["other"]]),
        Case(name: "67: for nobody", changes: ["aud": []]),
    ]

    @Test(arguments: inactive)
    func `an inactive token is refused`(_ c: Case) async throws {
        await serve(Self.active.merging(c.changes) { _, new in new })
        let answer = try await introspection().ask(UnverifiedToken("a"), at: Self.now)
        #expect(throws: AuthError(.tokenRefused, "")) { try answer.get() }
    }

    static let broken = [
        Case(name: "active is text", changes: ["active": "true"]), Case(name: "exp is text", changes: ["exp": "x"]),
        Case(name: "aud is a number", changes: ["aud": 1]), Case(name: "scope is a list", changes: ["scope": ["a"]]),
    ]

    @Test(arguments: broken)
    func `an answer that makes no sense is no acceptance`(_ c: Case) async throws {
        await serve(Self.active.merging(c.changes) { _, new in new })
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await introspection().ask(UnverifiedToken("a"), at: Self.now)
        }
    }

    @Test(arguments: [(401, AuthError.Code.refused), (403, .refused), (500, .unavailable), (302, .unavailable)])
    func `a server that does not answer decides nothing`(_ status: Int, _ code: AuthError.Code) async throws {
        await transport.serve(HTTPResponse(status: status), at: Self.endpoint)
        await #expect(throws: AuthError(code, "")) {
            try await introspection().ask(UnverifiedToken("a"), at: Self.now)
        }
    }

    @Test func `answers are asked for each time unless the caller allows otherwise`() async throws {
        await serve(Self.active)
        let introspection = introspection()
        for _ in 0..<3 { _ = try await introspection.ask(UnverifiedToken("a"), at: Self.now) }
        #expect(await transport.requests.count == 3)
    }

    @Test func `an answer is used again for its time and not beyond the token's end`() async throws {
        await serve(Self.active)
        let introspection = introspection(cacheSeconds: 20)
        for second in 0..<20 {
            _ = try await introspection.ask(UnverifiedToken("a"), at: Self.now + Int64(second)).get()
        }
        #expect(await transport.requests.count == 1)
        _ = try await introspection.ask(UnverifiedToken("a"), at: Self.now + 50).get()
        #expect(await transport.requests.count == 2)
        let end = try await introspection.ask(UnverifiedToken("a"), at: Self.now + 60)
        #expect(throws: AuthError(.tokenRefused, "")) { try end.get() }
        #expect(await transport.requests.count == 3)
    }

    @Test func `a revoked token is not remembered as anything`() async throws {
        await serve(["active": false])
        let introspection = introspection(cacheSeconds: 300)
        _ = try await introspection.ask(UnverifiedToken("a"), at: Self.now)
        await serve(Self.active)
        #expect(try await introspection.ask(UnverifiedToken("a"), at: Self.now).get().subject == "user-1")
    }

    @Test func `what the server says about actors, details and objects is read`() async throws {
        await serve(
            Self.active.merging([
                "act": ["sub": "client:b"], "authorization_details": [["type": "payment"]],
                "restricted_to": [AuthorityTests.element("read", AuthorityTests.file)],
            ]) { _, new in new })
        let taking = Introspection(
            endpoint: Self.endpoint, clientID: "api", clientSecret: Secret("s"), audience: "api",
            acceptsRestrictedTokens: true, transport: transport)
        let token = try await taking.ask(UnverifiedToken("a"), at: Self.now).get()
        #expect(token.actor?.subject == "client:b")
        #expect(token.authorizationDetails?.types == ["payment"])
        try token.require(object: AuthorityTests.file, scope: Scope(names: ["read"]))
        #expect(throws: AuthError(.tokenInsufficient, "")) { try token.require(scope: Scope(names: ["read"])) }
        try token.require(FreshnessPolicy(maxAgeSeconds: 5, acrValues: ["mfa"]), at: Self.now)
        #expect(throws: AuthError(.tokenInsufficient, "")) {
            try token.require(FreshnessPolicy(maxAgeSeconds: 4), at: Self.now)
        }
        let answer = try await introspection().ask(UnverifiedToken("a"), at: Self.now)
        #expect(throws: AuthError(.tokenRefused, ""), "where no object is asked for") { try answer.get() }
    }

    @Test func `65: a bound token is active with a proof of its key alone, remembered or not`() async throws {
        await serve(Self.active.merging(["cnf": ["jkt": "k1"]]) { _, new in new })
        for introspection in [introspection(), introspection(cacheSeconds: 60)] {
            for (proof, isActive) in [("k1", true), (nil, false), ("k2", false), ("k1", true)] as [(String?, Bool)] {
                let answer = try await introspection.ask(
                    UnverifiedToken("a"), proofKeyThumbprint: proof, at: Self.now)
                if case .active = answer { #expect(isActive) } else { #expect(!isActive) }
            }
        }
        await serve(Self.active.merging(["cnf": ["x5t#S256": "k1"]]) { _, new in new })
        let unknown = try await introspection().ask(UnverifiedToken("b"), proofKeyThumbprint: "k1", at: Self.now)
        #expect(throws: AuthError(.tokenRefused, "")) { try unknown.get() }
    }

    @Test func `65: under DPoP with its proof a bound token passes once, under Bearer never`() async throws {
        let prover = TestProver()
        await serve(Self.active.merging(["cnf": ["jkt": .string(prover.thumbprint)]]) { _, new in new })
        let dpop = DPoPVerifier(ambient: TestProver.ambient())
        let request = { (scheme: String, proofs: [String]) in
            ResourceRequest(authorization: scheme + " abc", proofs: proofs, method: "GET", url: TestProver.url)
        }
        let good = request("DPoP", [prover.proof("abc")])
        #expect(try await introspection().verify(good, dpop: dpop, at: Self.now).subject == "user-1")
        for (bad, code) in [
            (good, AuthError.Code.dpopInvalidProof),
            (request("Bearer", [prover.proof("abc", id: "p-2")]), .tokenRefused),
            (request("DPoP", [TestProver().proof("abc")]), .tokenRefused),
        ] {
            await #expect(throws: AuthError(code, "")) {
                try await introspection().verify(bad, dpop: dpop, at: Self.now)
            }
        }
    }
}
