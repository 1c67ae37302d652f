import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

/// A key on a device that somebody touches whenever a test says so.
struct TouchedKey: Sendable {
    let server: TestServer
    let key: SigningKey
    let id: String
    static let app = TestClients.tool
    static let path = "/oauth2/token"

    init(_ server: TestServer, _ algorithm: SignatureAlgorithm = .es256) throws {
        self.server = server
        key = try SigningKey.generate(algorithm)
        id = Ambient.live.randomToken(byteCount: 16)
    }

    /// A new challenge of the server.
    func challenge() async throws -> String {
        let answer = try await server.send(
            "POST", "/oauth2/challenge", headers: [("Content-Type", "application/json")],
            body: #"{"purpose":"biometric_request"}"#)
        return try #require(Challenge(parsing: Array(answer.body.utf8)), "\(answer.body)").token
    }

    /// A signed request; everything about it can be chosen.
    func request(
        _ action: String, _ challenge: String, signedBy signer: SigningKey? = nil, shows publicKey: JSONWebKey? = nil,
        type: String = BiometricNames.requestType, secondsOff: Int64 = 0, seconds: Int64 = 60
    ) throws -> String {
        let draft = BiometricRequestDraft(
            type: type, action: action, keyID: id, algorithm: key.algorithm,
            publicKey: publicKey ?? (action == "setup" ? key.publicKey : nil), challenge: challenge,
            deviceInfo: ["ios": ["UIDevice": ["name": "Andy's phone"], "uname": ["machine": "iPhone17,1"]]],
            issuedAt: server.clock.now + secondsOff, seconds: seconds)
        return draft.request(signature: try (signer ?? key).signature(for: draft.signingInput))
    }

    /// Sends a signed request.
    func send(
        _ jwt: String, token: String? = nil, as client: Client = TouchedKey.app, scope: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        try await server.post(
            Self.path,
            FormParameters(["grant_type": GrantType.biometricRequest.rawValue, "jwt": jwt, "scope": scope]), as: client,
            headers: headers + (token.map { [("Authorization", "Bearer \($0)")] } ?? []))
    }

    /// Signs in with the password, and adds the key.
    func setUp(_ client: Client = TouchedKey.app) async throws -> TokenResponse {
        let tokens = try await server.tokens(client)
        let answer = try await send(try request("setup", try await challenge()), token: tokens.accessToken, as: client)
        try #require(answer.status == 200, "\(answer.body)")
        return tokens
    }

    /// Signs in with the key.
    func authenticate(scope: String? = nil) async throws -> EndpointAnswer {
        try await send(try request("authenticate", try await challenge()), scope: scope)
    }

    /// The owner's keys, by identifier.
    func stored() async throws -> [String] {
        try await server.services.stores.biometrics.keys(of: TestServer.subject).map(\.id)
    }
}

extension EndpointAnswer {
    /// Whether the one word is said by which devices know that their key is of no use.
    var saysInvalidCredentials: Bool {
        status == 400 && error == "invalid_grant"
            && json["error_description"]?.stringValue == BiometricNames.invalidCredentials
    }
}
