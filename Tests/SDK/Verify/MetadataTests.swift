import Foundation
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Metadata of other people's providers, OpenID Connect Discovery §4")
struct MetadataTests {
    static let address = TestIssuer.url + "/.well-known/openid-configuration"

    /// A document with what a sign-in needs; `nil` removes a member.
    static func document(_ changes: [String: JSONValue?] = [:]) -> [UInt8] {
        var members: [String: JSONValue] = [
            "issuer": .string(TestIssuer.url), "authorization_endpoint": .string(TestIssuer.url + "/authorize"),
            "token_endpoint": .string(TestIssuer.url + "/token"), "jwks_uri": .string(ScriptedTransport.keys),
        ]
        for (name, value) in changes { members[name] = value }
        return JSONValue.object(members).serialized
    }

    static func read(_ response: HTTPResponse) async throws(AuthError) -> ServerMetadata {
        let transport = ScriptedTransport([address: response])
        return try await Discovery(transport: transport).metadata(of: TestIssuer.url)
    }

    static func read(_ changes: [String: JSONValue?]) async throws(AuthError) -> ServerMetadata {
        try await read(ScriptedTransport.answer(document(changes)))
    }

    /// What the metadata says, as JSON.
    static func text(_ metadata: ServerMetadata) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(metadata), as: UTF8.self)
    }

    struct Oddity: Sendable, CustomTestStringConvertible {
        let name: String
        let member: String
        let value: JSONValue
        var testDescription: String { name }
    }

    static let oddities = [
        Oddity(name: "WSO2: a flag as text", member: "request_parameter_supported", value: "false"),
        Oddity(
            name: "Solid: a method as text", member: "token_endpoint_auth_methods_supported",
            value: "client_secret_basic"),
        Oddity(name: "scopes as text", member: "scopes_supported", value: "openid profile"),
        Oddity(name: "scopes as an object", member: "scopes_supported", value: ["openid": "OpenID"]),
        Oddity(name: "languages as text", member: "ui_locales_supported", value: "en fr"),
        Oddity(name: "claims with a number among them", member: "claims_supported", value: ["sub", 1]),
        Oddity(name: "documentation as a list", member: "service_documentation", value: []),
        Oddity(name: "an endpoint as a list", member: "userinfo_endpoint", value: ["https://id.example.com/u"]),
        Oddity(name: "an empty endpoint", member: "revocation_endpoint", value: ""),
        Oddity(
            name: "an endpoint in the clear", member: "end_session_endpoint", value: "http://id.example.com/logout"),
        Oddity(name: "an endpoint on this machine", member: "userinfo_endpoint", value: "http://127.0.0.1/u"),
        Oddity(name: "an endpoint with a user", member: "userinfo_endpoint", value: "https://a@id.example.com/u"),
        Oddity(name: "an endpoint that is a script", member: "registration_endpoint", value: "javascript:0"),
    ]

    @Test(arguments: oddities)
    func `what is not needed and cannot be used is absent`(_ oddity: Oddity) async throws {
        let metadata = try await Self.read([oddity.member: oddity.value])
        let without = try await Self.read([oddity.member: nil])
        #expect(try Self.text(metadata) == Self.text(without))
        #expect(metadata.flaws.keys.sorted() == [oddity.member])
        #expect(metadata.tokenEndpoint == TestIssuer.url + "/token")
    }

    @Test func `members that are null, or that are not known, are no flaws`() async throws {
        let metadata = try await Self.read(["scopes_supported": .null, "revocation_endpoint": .null, "x": 1])
        #expect(metadata.flaws.isEmpty)
        #expect(metadata.scopesSupported == nil && metadata.revocationEndpoint == nil)
    }

    @Test(
        arguments: [
            ("jwks_uri", "", "empty"), ("jwks_uri", "http://id.example.com/jwks", "plain http"),
            ("jwks_uri", 7, "a text"),
        ] as [(String, JSONValue, String)])
    func `what is needed and cannot be used is refused by its name`(
        _ member: String, _ value: JSONValue, _ reason: String
    ) async throws {
        let transport = ScriptedTransport([Self.address: ScriptedTransport.answer(Self.document([member: value]))])
        let keys = KeySet(issuer: TestIssuer.url, transport: transport)
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await keys.warmUp(at: TestIssuer.now)
        }
        #expect(error?.detail.contains(member) == true)
        #expect(error?.detail.contains(reason) == true)
    }

    @Test func `what is needed and missing is refused by its name`() async throws {
        let metadata = try await Self.read(["token_endpoint": nil])
        #expect(try metadata.endpoint(.authorizationEndpoint) == TestIssuer.url + "/authorize")
        let error = #expect(throws: AuthError(.protocolViolation, "")) { try metadata.endpoint(.tokenEndpoint) }
        #expect(error?.detail.contains("token_endpoint") == true)
    }

    @Test(arguments: [nil, "", 1, .null, ["https://id.example.com"]] as [JSONValue?])
    func `a document without a readable issuer is refused by that name`(_ issuer: JSONValue?) async {
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await Self.read(["issuer": issuer])
        }
        #expect(error?.detail.contains("has no issuer") == true)
    }

    @Test func `a document of another issuer names both`() async {
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await Self.read(["issuer": .string(TestIssuer.url + "/\u{7}realms/a")])
        }
        #expect(error?.detail.contains("at \(TestIssuer.url) names another issuer") == true)
        #expect(error?.detail.contains("\(TestIssuer.url)/[U+0007]realms/a:") == true)
    }

    @Test func `a large document with long lists is read`() async throws {
        let claims = (0..<2_000).map { JSONValue.string("https://claims.example.com/a/long/name/of/a/claim/\($0)") }
        #expect(try await Self.read(["claims_supported": .array(claims)]).claimsSupported?.count == 2_000)
    }
}

@Suite("Answers in the place of an issuer's documents")
struct IssuerDocumentTests {
    static func response(
        _ status: Int, _ headers: [(name: String, value: String)], _ body: [UInt8] = []
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: body)
    }

    static func failure(_ response: HTTPResponse) async -> AuthError? {
        let error = await #expect(throws: AuthError.self) { try await MetadataTests.read(response) }
        return error
    }

    @Test func `JSON that is called a page is read, and a page that is called JSON is not`() async throws {
        let html = [(name: "Content-Type", value: "text/html; charset=utf-8")]
        #expect(try await MetadataTests.read(Self.response(200, html, MetadataTests.document())).flaws.isEmpty)
        let issuer = TestIssuer()
        let keys = Self.response(200, html, TestIssuer.document(issuer))
        try await KeySet(jwksURI: ScriptedTransport.keys, transport: ScriptedTransport([ScriptedTransport.keys: keys]))
            .warmUp(at: TestIssuer.now)
        let json = [(name: "Content-Type", value: "application/json")]
        #expect(await Self.failure(Self.response(200, json, Array("\n<html>".utf8)))?.code == .unavailable)
    }

    static let path = "/.well-known/openid-configuration"

    @Test(arguments: [301, 302, 307, 308], ["https://login.example.com\(path)?token=x", "\(path)/"])
    func `metadata that has moved says where to`(_ status: Int, _ location: String) async {
        let error = await Self.failure(Self.response(status, [("Location", location)]))
        #expect(error?.code == .misconfigured && error?.server?.status == status)
        let host = location.hasPrefix("/") ? TestIssuer.url : "https://login.example.com"
        #expect(error?.detail.contains("moved to \(host)\(Self.path)") == true)
        #expect(error?.detail.contains("token=x") == false)
    }

    @Test func `a portal's redirect is named, and is no answer of the issuer`() async {
        let error = await Self.failure(Self.response(302, [("Location", "https://wifi.example/login?for=me")]))
        #expect(error?.code == .unavailable)
        #expect(error?.detail.contains("https://wifi.example/login,") == true)
        #expect(await Self.failure(Self.response(302, []))?.code == .unavailable)
    }

    @Test(arguments: [404, 410])
    func `an issuer without metadata is not called unreachable`(_ status: Int) async {
        let error = await Self.failure(Self.response(status, []))
        #expect(error?.code == .protocolViolation && error?.server?.status == status)
        #expect(error?.detail.contains(MetadataTests.address) == true)
    }

    @Test(arguments: [500, 503, 429, 403])
    func `an issuer that cannot answer now is unavailable`(_ status: Int) async {
        #expect(await Self.failure(Self.response(status, []))?.code == .unavailable)
    }
}
