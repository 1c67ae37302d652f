import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("What a token gives a right to: restricted objects, details, actors")
struct AuthorityTests {
    static let now = TestIssuer.now
    static let file = "https://api.example.com/2.0/files/123"
    static let otherFile = "https://api.example.com/2.0/files/124"

    static func element(_ scope: String, _ resource: String) -> JSONValue {
        ["scope": .string(scope), "object": ["resource": .string(resource)]]
    }

    static let restricted: [String: JSONValue?] = [
        "scope": "preview download",
        "restricted_to": [element("preview", file), element("download", file), element("preview", otherFile)],
    ]

    /// Accepted by a verifier that takes restricted tokens.
    static func token(_ changes: [String: JSONValue?]) async throws -> VerifiedToken {
        let issuer = TokenVerifierTests.issuer
        let verifier = TokenVerifier(
            issuer: TestIssuer.url, audience: "api", keys: try PinnedKeys(parsing: TestIssuer.document(issuer)),
            acceptsRestrictedTokens: true)
        return try await verifier.verify(issuer.token(TestIssuer.accessClaims(changes)), at: now)
    }

    static func refuses(_ body: () throws -> Void) -> BearerChallenge? {
        let error = #expect(throws: AuthError.self) { try body() }
        #expect(error?.code == .tokenInsufficient)
        return error.map { BearerChallenge(answering: $0) }
    }

    @Test func `a restricted token is refused unless the verifier was told to take such`() async throws {
        for value in [Self.restricted["restricted_to"] ?? nil, .some([])] {
            let token = TokenVerifierTests.issuer.token(TestIssuer.accessClaims(["restricted_to": value]))
            let error = await #expect(throws: AuthError.self) {
                try await TokenVerifierTests.verifier().verify(token, at: Self.now)
            }
            #expect(error?.code == .tokenInsufficient)
            let challenge = try BearerChallenge(answering: #require(error))
            #expect(challenge.status == 403)
            #expect(challenge.header == "Bearer error=\"insufficient_scope\"")
        }
        let unrestricted = TokenVerifierTests.issuer.token(TestIssuer.accessClaims())
        #expect(try await TokenVerifierTests.verifier().verify(unrestricted, at: Self.now).restrictedTo == nil)
    }

    @Test func `a remembered acceptance is no way around it`() async throws {
        let verifier = CachingTokenVerifier(try TokenVerifierTests.verifier())
        let token = TokenVerifierTests.issuer.token(TestIssuer.accessClaims(Self.restricted))
        for _ in 0..<2 {
            await #expect(throws: AuthError(.tokenInsufficient, "")) { try await verifier.verify(token, at: Self.now) }
        }
    }

    @Test func `a restricted token is good for its objects, each with its own scope`() async throws {
        let token = try await Self.token(Self.restricted)
        #expect(token.restrictedTo?.count == 3)
        try token.require(object: Self.file, scope: Scope(names: ["preview", "download"]))
        try token.require(object: Self.otherFile, scope: Scope(names: ["preview"]))
        let challenge = Self.refuses { try token.require(object: Self.otherFile, scope: Scope(names: ["download"])) }
        #expect(challenge?.status == 403)
        #expect(challenge?.header == "Bearer error=\"insufficient_scope\", scope=\"download\"")
    }

    @Test(arguments: [
        "https://api.example.com/2.0/files/12", "https://api.example.com/2.0/files/1234",
        "https://api.example.com/2.0/files/123/", "https://api.example.com/2.0/files/123?x=1",
        "HTTPS://api.example.com/2.0/files/123", "https://api.example.com/2.0/files/%3123", "",
    ])
    func `for no other object, however alike`(_ object: String) async throws {
        let token = try await Self.token(Self.restricted)
        for scope in [Scope(names: ["preview"]), .none] {
            _ = Self.refuses { try token.require(object: object, scope: scope) }
        }
    }

    @Test func `for nothing where no object is asked for`() async throws {
        let token = try await Self.token(Self.restricted)
        #expect(token.scope == .none)
        _ = Self.refuses { try token.require(scope: Scope(names: ["preview"])) }
        _ = Self.refuses { try token.require(scope: .none) }
        let empty = try await Self.token(["restricted_to": []])
        _ = Self.refuses { try empty.require(object: Self.file, scope: .none) }
    }

    @Test func `an unrestricted token with the scope is good for every object`() async throws {
        let token = try await Self.token([:])
        try token.require(object: Self.file, scope: Scope(names: ["read"]))
        _ = Self.refuses { try token.require(object: Self.file, scope: Scope(names: ["delete"])) }
    }

    static let malformed: [JSONValue] = [
        "all", [:], ["x"], [["scope": "a"]], [["object": ["resource": "x"]]],
        [["scope": 1, "object": ["resource": "x"]]],
        [["scope": "a", "object": ["type": "file"]]], .null,
    ]

    @Test(arguments: malformed)
    func `a restriction that cannot be read is never overlooked`(_ value: JSONValue) async {
        await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.token(["restricted_to": value]) }
    }

    @Test func `details are granted, or not`() async throws {
        let payment: JSONValue = ["type": "payment", "actions": ["initiate", "status"], "limit": 100]
        let token = try await Self.token(["authorization_details": [payment]])
        #expect(token.authorizationDetails?.types == ["payment"])
        try token.require(
            details: AuthorizationDetails(elements: [["type": "payment", "actions": ["status"], "limit": 100]]))
        for wanted: [String: JSONValue] in [
            ["type": "payment", "actions": ["cancel"], "limit": 100],
            ["type": "payment", "actions": ["status"], "limit": 101], ["type": "transfer"],
        ] {
            let challenge = Self.refuses { try token.require(details: AuthorizationDetails(elements: [wanted])) }
            #expect(challenge?.status == 403)
        }
        let plain = try await Self.token([:])
        #expect(plain.authorizationDetails == nil)
        _ = Self.refuses { try plain.require(details: AuthorizationDetails(elements: [["type": "payment"]])) }
        for broken: JSONValue in ["x", [["actions": ["a"]]], [1], [["type": ""]], .null] {
            await #expect(throws: AuthError(.tokenMalformed, "")) {
                try await Self.token(["authorization_details": broken])
            }
        }
    }

    @Test func `who acts stands first, and who acted before after`() async throws {
        let act: JSONValue = ["sub": "client:b", "iss": "x", "act": ["sub": "client:a"]]
        let token = try await Self.token(["act": act])
        #expect(token.actors.map(\.subject) == ["client:b", "client:a"])
        #expect(token.actor?.claims == ["sub": "client:b", "iss": "x"])
        #expect(try await Self.token([:]).actor == nil)
    }

    @Test func `a chain that is none, or has no end, is refused`() async {
        var long: JSONValue = ["sub": "a"]
        for _ in 0..<VerifyLimits.actors { long = ["sub": "a", "act": long] }
        for broken: JSONValue in ["a", [], [:], ["sub": 1], ["sub": ""], ["sub": "a", "act": "b"], long, .null] {
            await #expect(throws: AuthError(.tokenMalformed, "")) { try await Self.token(["act": broken]) }
        }
    }

    @Test func `68: a user whose identifier is a client's is no client`() async throws {
        #expect(try await Self.token(["sub": "client:app", "client_id": "app"]).isClientsOwn)
        for subject in ["app", "client:other", "user-1", "CLIENT:app"] {
            let token = try await Self.token(["sub": .string(subject), "client_id": "app"])
            #expect(!token.isClientsOwn)
        }
    }

    @Test func `nothing that is printed shows who acts`() async throws {
        let actor = try #require(try await Self.token(["act": ["sub": "client:b"]]).actor)
        #expect("\(actor)" == "TokenActor" && String(reflecting: actor) == "TokenActor")
    }
}
