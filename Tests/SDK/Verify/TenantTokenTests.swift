import KeyturnBase
import KeyturnVerify
import Testing

@Suite("ID tokens of a provider with many tenants")
struct TenantTokenTests {
    static let issuer = TestIssuer()
    static let own = "72f988bf-86f1-41af-91ab-2d7cd011db47"
    static let other = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"
    static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
    static let template = "https://login.example.com/{tenantid}/v2.0"

    /// The issuer of a tenant.
    static func name(_ tenant: String) -> String { "https://login.example.com/\(tenant)/v2.0" }

    /// What an ID token of `tenant` says; `nil` removes a claim.
    static func claims(_ tenant: String, _ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        let named: [String: JSONValue?] = ["iss": .string(name(tenant)), "tid": .string(tenant)]
        return TestIssuer.idClaims(named.merging(changes) { $1 })
    }

    /// A key that names `issuer` as its own; `nil`: it names none.
    static func key(_ signer: TestIssuer, of issuer: JSONValue?) -> JSONValue {
        var members = signer.publicKey.objectValue ?? [:]
        members["issuer"] = issuer
        return .object(members)
    }

    static func document(_ keys: JSONValue...) -> [UInt8] {
        JSONValue.object(["keys": .array(keys)]).serialized
    }

    static func verify(
        _ token: String, tenants: Set<String>? = nil, keys: any SharedKeySource
    ) async throws -> VerifiedIDToken {
        let issuers = try #require(IssuerTemplate(template))
        return try await IDTokenVerifier(template: issuers, tenants: tenants, clientID: "app", keys: keys)
            .verify(token, nonce: "n-1", accessToken: nil, maxAgeSeconds: nil, at: TestIssuer.now)
    }

    static func verify(
        _ claims: [String: JSONValue], tenants: Set<String>? = nil, keyIssuer: JSONValue?
    ) async throws -> VerifiedIDToken {
        let keys = try PinnedKeys(parsing: document(key(issuer, of: keyIssuer)))
        return try await verify(issuer.token(claims, type: "JWT"), tenants: tenants, keys: keys)
    }

    static let keyIssuers: [JSONValue?] = [nil, .string(template), .string(name(own)), .null]

    @Test(arguments: keyIssuers)
    func `a token is taken with a key of its tenant, of all tenants, or of none`(_ keyIssuer: JSONValue?) async throws {
        for tenants: Set<String>? in [nil, [Self.own], [Self.other, Self.own]] {
            let token = try await Self.verify(Self.claims(Self.own), tenants: tenants, keyIssuer: keyIssuer)
            #expect(token.issuer == Self.name(Self.own) && token.subject == "user-1")
            #expect(token["tid"] == .string(Self.own))
        }
    }

    @Test(arguments: [7, ["x"], [:], ""] as [JSONValue])
    func `a key that does not tell whose it is signs for no tenant`(_ keyIssuer: JSONValue) async {
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await Self.verify(Self.claims(Self.own), keyIssuer: keyIssuer)
        }
    }

    @Test func `identifiers are compared without regard to case, and issuers as they are`() async throws {
        let upper = Self.own.uppercased()
        let keyIssuer = JSONValue.string(Self.template)
        let token = try await Self.verify(Self.claims(upper), tenants: [Self.own], keyIssuer: keyIssuer)
        #expect(token.issuer == Self.name(upper))
        await #expect(throws: AuthError(.tokenMisdirected, "")) {
            try await Self.verify(
                Self.claims(upper, ["tid": .string(Self.own)]), tenants: [Self.own], keyIssuer: keyIssuer)
        }
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let name: String
        let claims: [String: JSONValue]
        var tenants: Set<String>? = [TenantTokenTests.own]
        var keyIssuer: JSONValue? = .string(TenantTokenTests.template)
        var code = AuthError.Code.tokenMisdirected
        var testDescription: String { name }
    }

    static let forgeries: [Forgery] = [
        Forgery(name: "a tenant that is not in the list", claims: claims(other)),
        Forgery(name: "an empty list", claims: claims(own), tenants: []),
        Forgery(name: "a listed tenant in tid alone", claims: claims(own, ["iss": .string(name(other))])),
        Forgery(name: "a listed tenant in iss alone", claims: claims(own, ["tid": .string(other)])),
        Forgery(
            name: "any tenant: tid does not fit iss", claims: claims(own, ["tid": .string(other)]), tenants: nil),
        Forgery(name: "the template itself", claims: claims(own, ["iss": .string(template)])),
        Forgery(
            name: "another host, and keys of no issuer",
            claims: claims(own, ["iss": .string("https://evil.example.com/\(own)/v2.0")]), keyIssuer: nil),
        Forgery(
            name: "more path than the template", claims: claims(own, ["iss": .string(name(own) + "/x")]),
            keyIssuer: nil),
        Forgery(
            name: "another host", claims: claims(own, ["iss": .string("https://evil.example.com/\(own)/v2.0")]),
            code: .tokenSignature),
        Forgery(
            name: "version 1", claims: claims(own, ["iss": .string("https://sts.windows.net/\(own)/")]),
            keyIssuer: nil),
        Forgery(name: "no tid", claims: claims(own, ["tid": nil]), code: .tokenMalformed),
        Forgery(name: "tid is null", claims: claims(own, ["tid": .null]), code: .tokenMalformed),
        Forgery(name: "tid is a number", claims: claims(own, ["tid": 7]), code: .tokenMalformed),
        Forgery(name: "no iss", claims: claims(own, ["iss": nil]), code: .tokenMalformed),
        Forgery(name: "iss is a list", claims: claims(own, ["iss": ["x"]]), code: .tokenMalformed),
        Forgery(name: "tid is no GUID", claims: claims("common"), tenants: nil, keyIssuer: nil, code: .tokenMalformed),
        Forgery(name: "tid is a path", claims: claims("x/\(own)"), tenants: nil, keyIssuer: nil, code: .tokenMalformed),
        Forgery(
            name: "a key of another tenant", claims: claims(own), keyIssuer: .string(name(other)),
            code: .tokenSignature),
        Forgery(
            name: "a key of the personal accounts", claims: claims(own), tenants: nil,
            keyIssuer: .string(name(personal)), code: .tokenSignature),
        Forgery(
            name: "a key of another provider's tenants", claims: claims(own),
            keyIssuer: "https://evil.example.com/{tenantid}/v2.0", code: .tokenSignature),
        Forgery(
            name: "a key with two placeholders", claims: claims(own),
            keyIssuer: "https://login.example.com/{tenantid}/{version}", code: .tokenSignature),
    ]

    @Test(arguments: forgeries)
    func `a signed token that is not of a tenant that may sign in is refused`(_ forgery: Forgery) async {
        await #expect(throws: AuthError(forgery.code, "")) {
            try await Self.verify(forgery.claims, tenants: forgery.tenants, keyIssuer: forgery.keyIssuer)
        }
    }

    @Test func `of two keys with one name each signs for its own tenant`() async throws {
        let stranger = TestIssuer()
        let keys = try PinnedKeys(
            parsing: Self.document(
                Self.key(stranger, of: .string(Self.name(Self.other))),
                Self.key(Self.issuer, of: .string(Self.name(Self.own)))))
        func token(_ signer: TestIssuer, _ tenant: String) -> String { signer.token(Self.claims(tenant), type: "JWT") }
        #expect(try await Self.verify(token(Self.issuer, Self.own), keys: keys).subject == "user-1")
        #expect(try await Self.verify(token(stranger, Self.other), keys: keys).subject == "user-1")
        for (signer, tenant) in [(stranger, Self.own), (Self.issuer, Self.other)] {
            await #expect(throws: AuthError(.tokenSignature, "")) {
                try await Self.verify(token(signer, tenant), keys: keys)
            }
        }
    }

    @Test func `keys that are fetched say whose they are, the many of a large set too`() async throws {
        let fillers = (0..<VerifyLimits.keys).map { Self.key(TestIssuer(keyID: "filler-\($0)"), of: nil) }
        let late = TestIssuer(keyID: "late")
        let keys = fillers + [Self.key(late, of: .string(Self.name(Self.other)))]
        let document = JSONValue.object(["keys": .array(keys)]).serialized
        let set = KeySet(jwksURI: ScriptedTransport.keys, transport: ScriptedTransport(keys: document))
        let token = late.token(Self.claims(Self.other), type: "JWT")
        #expect(try await Self.verify(token, keys: set).issuer == Self.name(Self.other))
        await #expect(throws: AuthError(.tokenSignature, "")) {
            try await Self.verify(late.token(Self.claims(Self.own), type: "JWT"), keys: set)
        }
    }

    @Test func `without tenants a template is no issuer, and keys of any issuer count`() async throws {
        let keys = try PinnedKeys(
            parsing: Self.document(Self.key(Self.issuer, of: .string("https://elsewhere.example.com"))))
        let verifier = IDTokenVerifier(issuer: Self.name(Self.own), clientID: "app", keys: keys)
        func verify(_ tenant: String) async throws -> VerifiedIDToken {
            try await verifier.verify(
                Self.issuer.token(Self.claims(tenant), type: "JWT"), nonce: "n-1", accessToken: nil,
                maxAgeSeconds: nil, at: TestIssuer.now)
        }
        #expect(try await verify(Self.own).subject == "user-1")
        await #expect(throws: AuthError(.tokenMisdirected, "")) { try await verify(Self.other) }
    }
}
