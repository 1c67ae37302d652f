import Foundation
import KeyturnBase
import KeyturnWire
import Testing

@Suite("Server metadata, RFC 8414 §2")
struct ServerMetadataTests {
    static let endpoints = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "revocation_endpoint",
        "introspection_endpoint", "end_session_endpoint", "pushed_authorization_request_endpoint",
        "device_authorization_endpoint", "backchannel_authentication_endpoint", "registration_endpoint",
        "app_session_token_endpoint",
    ]

    static let lists = [
        "scopes_supported", "response_types_supported", "response_modes_supported", "grant_types_supported",
        "subject_types_supported", "id_token_signing_alg_values_supported", "token_endpoint_auth_methods_supported",
        "revocation_endpoint_auth_methods_supported", "introspection_endpoint_auth_methods_supported",
        "code_challenge_methods_supported", "claims_supported", "claim_types_supported", "acr_values_supported",
        "prompt_values_supported", "display_values_supported", "ui_locales_supported",
        "dpop_signing_alg_values_supported", "backchannel_token_delivery_modes_supported",
        "token_endpoint_auth_signing_alg_values_supported", "request_object_signing_alg_values_supported",
        "authorization_details_types_supported",
    ]

    static let flags = [
        "claims_parameter_supported", "request_parameter_supported", "request_uri_parameter_supported",
        "backchannel_logout_supported", "backchannel_logout_session_supported",
        "authorization_response_iss_parameter_supported", "require_pushed_authorization_requests",
        "backchannel_user_code_parameter_supported", "native_sso_supported",
    ]

    /// Every member that there is, each with the type that its standard says.
    static let full: [String: JSONValue] = {
        var members: [String: JSONValue] = [
            "issuer": "https://id.example.com", "service_documentation": "https://docs.example.com",
        ]
        for name in endpoints { members[name] = .string("https://id.example.com/\(name)") }
        for name in lists { members[name] = [.string(name)] }
        for name in flags { members[name] = true }
        return members
    }()

    /// What is left of a document that is read and written again.
    static func written(_ members: [String: JSONValue]) throws -> [String: JSONValue]? {
        let metadata = try ServerMetadata(.object(members))
        return try JSONValue(parsing: Array(try JSONEncoder().encode(metadata))).objectValue
    }

    @Test func `every member is read, and by a decoder too`() throws {
        #expect(try Self.written(Self.full) == Self.full)
        #expect(try ServerMetadata(.object(Self.full)).flaws.isEmpty)
        let bytes = Data(JSONValue.object(Self.full).serialized)
        let decoded = try JSONDecoder().decode(ServerMetadata.self, from: bytes)
        let read = try ServerMetadata(.object(Self.full))
        #expect(decoded == read)
    }

    @Test(arguments: endpoints + lists + flags + ["service_documentation"])
    func `a member of another type is absent, and alone`(_ name: String) throws {
        for wrong: JSONValue in [7, ["a": 1], [["a"]], "a"] {
            // A text is right for a page, and no address for an endpoint.
            if name == "service_documentation", wrong == "a" { continue }
            var members = Self.full
            members[name] = wrong
            let metadata = try ServerMetadata(.object(members))
            #expect(metadata.flaws.keys.sorted() == [name])
            members[name] = nil
            #expect(try Self.written(Self.full.merging([name: wrong]) { _, new in new }) == members)
        }
    }

    struct Place: Sendable, CustomTestStringConvertible {
        let issuer: String
        let endpoint: String
        let isUsed: Bool
        var testDescription: String { "\(endpoint) of \(issuer)" }
    }

    static let places = [
        Place(issuer: "https://id.example.com", endpoint: "https://elsewhere.example.com/t", isUsed: true),
        Place(issuer: "https://id.example.com", endpoint: "http://id.example.com/t", isUsed: false),
        Place(issuer: "https://id.example.com", endpoint: "http://127.0.0.1/t", isUsed: false),
        Place(issuer: "http://127.0.0.1:8080", endpoint: "http://127.0.0.1:8080/t", isUsed: true),
        Place(issuer: "http://127.0.0.1:8080", endpoint: "https://id.example.com/t", isUsed: true),
        Place(issuer: "http://127.0.0.1:8080", endpoint: "http://id.example.com/t", isUsed: false),
        Place(issuer: "http://keycloak:8080", endpoint: "http://keycloak:8080/t", isUsed: true),
        Place(issuer: "https://id.example.com", endpoint: "", isUsed: false),
        Place(issuer: "https://id.example.com", endpoint: "/token", isUsed: false),
        Place(issuer: "https://id.example.com", endpoint: "https://a@id.example.com/t", isUsed: false),
        Place(issuer: "https://id.example.com", endpoint: "https://id.example.com/t#x", isUsed: false),
        Place(issuer: "https://id.example.com", endpoint: "javascript:0", isUsed: false),
        Place(issuer: "an issuer", endpoint: "http://127.0.0.1/t", isUsed: false),
    ]

    @Test(arguments: places)
    func `an endpoint is used if it has the protection of its issuer, and named otherwise`(_ place: Place) throws {
        let metadata = try ServerMetadata([
            "issuer": .string(place.issuer), "token_endpoint": .string(place.endpoint),
        ])
        #expect(metadata.tokenEndpoint == (place.isUsed ? place.endpoint : nil))
        #expect(metadata.flaws.isEmpty == place.isUsed)
        guard !place.isUsed else {
            #expect(try metadata.endpoint(.tokenEndpoint) == place.endpoint)
            return
        }
        let error = #expect(throws: AuthError(.protocolViolation, "")) { try metadata.endpoint(.tokenEndpoint) }
        #expect(error?.detail.contains("a token_endpoint that cannot be used") == true)
    }

    @Test(arguments: [[:], "https://id.example.com", ["issuer": 1], ["issuer": ""], ["issuer": .null]] as [JSONValue])
    func `a document without an issuer is none`(_ document: JSONValue) {
        #expect(throws: AuthError(.protocolViolation, "")) { try ServerMetadata(document) }
    }
}
