import Crypto
import Keyturn
import KeyturnBase
import KeyturnJose
import KeyturnVerify

/// An OpenID provider inside the process, just large enough to sign in to once.
struct BenchmarkService: HTTPTransport, BrowserAgent {
    static let issuer = "https://id.example.com"
    static let audience = "https://api.example.com"

    let key: SigningKey
    private let nonce = Locked("")

    init() throws {
        key = try SigningKey.generate(.es256)
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        switch request.url.dropFirst(Self.issuer.count) {
        case "/.well-known/openid-configuration": return Self.json(metadata)
        case "/jwks": return Self.json(["keys": [key.publicKey.json]])
        case "/token":
            let now = Ambient.live.now().rawValue
            let claims: JSONValue = [
                "iss": .string(Self.issuer), "sub": "andy", "aud": "bench", "iat": .integer(now),
                "exp": .integer(now + 3_600), "nonce": .string(nonce.withLock { $0 }),
            ]
            return Self.json([
                "access_token": .string(accessToken()), "token_type": "Bearer", "expires_in": 36_000,
                "refresh_token": "refresh", "id_token": .string(sign(claims, "JWT")),
            ])
        default: return HTTPResponse(status: 404)
        }
    }

    /// An access token as our server issues it (RFC 9068).
    func accessToken() -> String {
        let now = Ambient.live.now().rawValue
        return sign(
            [
                "iss": .string(Self.issuer), "sub": "11111111-1111-4111-8111-111111111111",
                "aud": .string(Self.audience), "exp": .integer(now + 3_600), "iat": .integer(now),
                "jti": "01XdPpV7qdz_OTZyFofj9A", "client_id": "web", "scope": "openid profile email offline_access",
                "auth_time": .integer(now), "acr": "urn:keyturn:acr:password", "amr": ["pwd"],
                "sid": "9aOZyFofj01XdPpV7qdz_T",
            ], "at+jwt")
    }

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(redirectURI: redirectURI, nonce: nonce)
    }

    private struct Session: WebAuthenticationSession {
        let redirectURI: String
        let nonce: Locked<String>

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            let sent = url.split(separator: "&").first { $0.hasPrefix("nonce=") }?.dropFirst(6) ?? ""
            nonce.withLock { $0 = String(sent) }
            return "\(redirectURI)?code=c&state=\(state)"
        }

        func close() async {}
    }

    private var metadata: JSONValue {
        [
            "issuer": .string(Self.issuer), "authorization_endpoint": .string(Self.issuer + "/authorize"),
            "token_endpoint": .string(Self.issuer + "/token"), "jwks_uri": .string(Self.issuer + "/jwks"),
        ]
    }

    private func sign(_ claims: JSONValue, _ type: String) -> String {
        do {
            return try JWSSigner(key: key, type: type).sign(claims.serialized)
        } catch {
            preconditionFailure("a fresh key signs")
        }
    }

    private static func json(_ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: value.serialized)
    }
}
