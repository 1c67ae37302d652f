import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting

/// A client that holds a key, and signs requests and statements about itself with it.
struct SigningClient: Sendable {
    let key: SigningKey
    let id: String

    init(_ id: String = "signer", _ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.generate(algorithm)
        self.id = id
    }

    /// As it is registered.
    func client(
        profile: ClientProfile = .standard, method: String = "client_secret_basic",
        configure: (inout ClientMetadata) -> Void = { _ in }
    ) -> Client {
        let made = TestClients.make(
            id, method: method, secret: TestClients.webSecret, firstParty: true
        ) {
            $0.jwks = ["keys": .array([key.publicKey.json])]
            configure(&$0)
        }
        return Client(
            id: id, metadata: made.metadata, secretDigests: method == "private_key_jwt" ? [] : made.secretDigests,
            isFirstParty: true, profile: profile)
    }

    /// What a request object of this request says.
    func claims(_ request: AuthorizationRequest, _ server: TestServer) -> [String: JSONValue] {
        let now = server.clock.now.rawValue
        var claims: [String: JSONValue] = [
            "iss": .string(id), "aud": .string(server.issuer), "exp": .integer(now + 60), "nbf": .integer(now),
            "iat": .integer(now), "jti": .string(Ambient.live.randomToken(byteCount: 16)),
        ]
        for parameter in request.parameters.all { claims[parameter.name] = .string(parameter.value) }
        return claims
    }

    func sign(_ claims: [String: JSONValue], type: String? = TokenKind.authorizationRequest) throws -> String {
        try JWSSigner(key: key, type: type).sign(JSONValue.object(claims).serialized)
    }

    /// A request object of this request.
    func object(
        _ request: AuthorizationRequest, _ server: TestServer, type: String? = TokenKind.authorizationRequest,
        _ change: (inout [String: JSONValue]) -> Void = { _ in }
    ) throws -> String {
        var claims = claims(request, server)
        change(&claims)
        return try sign(claims, type: type)
    }

    /// A statement about itself (RFC 7523 §2.2).
    func assertion(_ server: TestServer, _ change: (inout [String: JSONValue]) -> Void = { _ in }) throws -> String {
        let now = server.clock.now.rawValue
        var claims: [String: JSONValue] = [
            "iss": .string(id), "sub": .string(id), "aud": .string(server.issuer), "exp": .integer(now + 60),
            "iat": .integer(now), "jti": .string(Ambient.live.randomToken(byteCount: 16)),
        ]
        change(&claims)
        return try sign(claims, type: TokenKind.clientAuthentication)
    }
}

extension TestServer {
    /// Hands a request in, as the client authenticates.
    func push(
        _ request: AuthorizationRequest, as client: Client, headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        var form = FormParameters()
        // Some ways of authentication name the client themselves.
        for parameter in request.parameters.all where parameter.name != "client_id" {
            form.append(parameter.name, parameter.value)
        }
        return try await post("/oauth2/par", form, as: client, headers: headers)
    }

    /// Comes with a pushed request.
    func visit(_ reference: String, _ clientID: String, in browser: ScriptedBrowser, beside: String = "") async throws
        -> ScriptedBrowser.Screen
    {
        let form = FormParameters(["client_id": clientID, "request_uri": reference])
        return try await browser.open("/oauth2/authorize?\(form.encoded)\(beside)")
    }
}

extension AuthorizationResponse {
    /// The `error` of a refusal.
    var refusal: OAuthProblem.Code? {
        guard case .refused(let problem) = outcome else { return nil }
        return problem.code
    }

    var code: String? {
        guard case .code(let code) = outcome else { return nil }
        return code
    }
}
