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
}
