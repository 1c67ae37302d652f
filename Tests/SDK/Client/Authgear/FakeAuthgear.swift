import Foundation
import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// Authgear's server in memory, as its wire is documented. It refuses what Authgear's own SDK never sends: a parameter,
/// a header or an order that is not documented fails the test that sends it.
actor FakeAuthgear: HTTPTransport {
    /// What happens to the next request for a path, instead of the right thing.
    enum Fault: Sendable {
        case unreachable
        case answer(HTTPResponse)
        /// The server does its work once the gate opens.
        case held(Gate)
    }

    /// A session at the server.
    struct Session: Sendable {
        let id: String
        let subject: String
        let thumbprint: String?
        var scope: String
        var authTime: Int64
        var amr: [String] = ["pwd"]
        var deviceSecret: String?
    }

    struct Code: Sendable {
        let challenge: String
        let redirectURI: String
        let nonce: String?
        let scope: String
        let thumbprint: String?
        /// Whose sign-in is proved again.
        let session: String?
        let subject: String
        let isAction: Bool
    }

    static let origin = "https://myapp.authgear.cloud"
    static let clientID = "harbour"
    static let webClientID = "web"

    let clock: VirtualClock
    private static let key = Result { try SigningKey.generate(.rs256) }
    private var faults: [String: [Fault]] = [:]
    private var counter = 0
    private(set) var requests: [HTTPRequest] = []
    private(set) var revoked: [String] = []
    /// The authorization requests that the browser was sent to.
    private(set) var pages: [[String: String]] = []

    var sessions: [String: Session] = [:]
    /// Refresh tokens, and whose they are.
    var refreshTokens: [String: String] = [:]
    /// Access tokens, and whose they are.
    var accessTokens: [String: String] = [:]
    var codes: [String: Code] = [:]
    /// App session tokens that were not used yet.
    var appSessions: [String: String] = [:]
    var challenges: [String: UnixTime] = [:]
    /// Keys of users, by their names.
    var keys: [String: (key: JSONWebKey, subject: String)] = [:]
    /// Requests that keys have signed.
    var signed: [(header: JSONValue, payload: JSONValue)] = []

    var subject = "andy"
    var rotates = false
    var lifetimeSeconds: Int64 = 1_800
    var canReauthenticate = true
    var userInfo: [String: JSONValue] = [:]
    /// What the pages do instead of coming back with a code.
    var pageError: String?

    init(_ clock: VirtualClock) { self.clock = clock }

    func set(_ change: @Sendable (isolated FakeAuthgear) -> Void) { change(self) }
    func fail(_ path: String, _ next: Fault...) { faults[path, default: []] += next }
    func sent(_ path: String) -> [HTTPRequest] { requests.filter { Self.path($0.url) == path } }
    func forms() -> [[String: String]] { sent("/oauth2/token").map(Self.form) }
    func notePage(_ page: [String: String]) { pages.append(page) }

    func next(_ name: String) -> String {
        counter += 1
        return "\(name)-\(counter)"
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        let path = Self.path(request.url)
        var fault: Fault?
        if faults[path]?.isEmpty == false { fault = faults[path]?.removeFirst() }
        switch fault {
        case .unreachable: throw AuthError(.unavailable, "unreachable")
        case .answer(let response): return response
        case .held(let gate): await gate.pass()
        case nil: break
        }
        do {
            return try answer(request, path)
        } catch let refusal as Refusal {
            return refusal.response
        } catch {
            throw AuthError(.protocolViolation, "\(error)")
        }
    }

    private func answer(_ request: HTTPRequest, _ path: String) throws -> HTTPResponse {
        let type = request.headers.first { $0.name == "Content-Type" }?.value
        switch path {
        case "/.well-known/openid-configuration": return Self.json(Self.metadata)
        case "/oauth2/jwks": return Self.json(["keys": [try Self.key.get().publicKey.json]])
        case "/oauth2/token": return try token(request)
        case "/oauth2/challenge":
            guard type == "application/json" else { throw Refusal("invalid_request", "JSON is wanted") }
            return try challenge(request)
        case "/oauth2/app_session_token": return try appSession(request)
        case "/oauth2/userinfo": return try userInfoAnswer(request)
        case "/oauth2/revoke":
            let form = Self.form(request)
            guard form.keys.sorted() == ["token"], !request.headers.contains(where: { $0.name == "DPoP" }) else {
                throw Refusal("invalid_request", "the token alone is wanted: \(form.keys.sorted())")
            }
            revoked.append(form["token"] ?? "")
            if let session = refreshTokens[form["token"] ?? ""] { end(session) }
            return HTTPResponse(status: 200)
        default: return HTTPResponse(status: 404)
        }
    }

    func end(_ session: String) {
        sessions[session] = nil
        refreshTokens = refreshTokens.filter { $0.value != session }
        accessTokens = accessTokens.filter { $0.value != session }
    }

    private static let metadata: JSONValue = [
        "issuer": .string(origin), "authorization_endpoint": .string(origin + "/oauth2/authorize"),
        "token_endpoint": .string(origin + "/oauth2/token"), "userinfo_endpoint": .string(origin + "/oauth2/userinfo"),
        "revocation_endpoint": .string(origin + "/oauth2/revoke"),
        "end_session_endpoint": .string(origin + "/oauth2/end_session"), "jwks_uri": .string(origin + "/oauth2/jwks"),
        "scopes_supported": ["openid", "offline_access", .string(AuthgearNames.fullAccess)],
        "dpop_signing_alg_values_supported": ["ES256", "RS256"], "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
    ]

    private func userInfoAnswer(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.method == "GET", let session = session(presentedWith: request) else {
            return HTTPResponse(
                status: 401, headers: [("WWW-Authenticate", #"Bearer error="invalid_grant""#)],
                body: Refusal.body("invalid_grant", "invalid session"))
        }
        let usual: [String: JSONValue] = [
            "sub": .string(session.subject), AuthgearNames.isAnonymous: .bool(session.subject.hasPrefix("nobody")),
            AuthgearNames.isVerified: true, AuthgearNames.canReauthenticate: .bool(canReauthenticate),
            "custom_attributes": ["shoeSize": 44], "x_web3": [:],
        ]
        return Self.json(.object(usual.merging(userInfo) { $1 }))
    }

    func session(presentedWith request: HTTPRequest) -> Session? {
        let header = request.headers.first { $0.name == "Authorization" }?.value ?? ""
        guard header.hasPrefix("Bearer ") else { return nil }
        return accessTokens[String(header.dropFirst("Bearer ".count))].flatMap { sessions[$0] }
    }

    /// An ID token, good for five minutes.
    func idToken(_ session: Session, nonce: String?, audience: String = clientID) throws -> String {
        var members: [String: JSONValue] = [
            "iss": .string(Self.origin), "sub": .string(session.subject), "aud": .string(audience),
            "iat": .integer(clock.now.rawValue), "exp": .integer(clock.now.rawValue + 300),
            "auth_time": .integer(session.authTime), "sid": .string(session.id),
            "amr": .array(session.amr.map { .string($0) }),
            AuthgearNames.canReauthenticate: .bool(canReauthenticate),
        ]
        if let nonce { members["nonce"] = .string(nonce) }
        if let secret = session.deviceSecret { members["ds_hash"] = .string(Self.hash(secret)) }
        return try JWSSigner(key: try Self.key.get(), type: "JWT").sign(JSONValue.object(members).serialized)
    }
}

/// What the server answers instead of doing what it was asked.
struct Refusal: Error {
    let response: HTTPResponse

    init(_ code: String, _ description: String, status: Int = 400) {
        response = HTTPResponse(
            status: status, headers: [("Content-Type", "application/json")], body: Self.body(code, description))
    }

    static func body(_ code: String, _ description: String) -> [UInt8] {
        JSONValue.object(["error": .string(code), "error_description": .string(description)]).serialized
    }

    /// In the form of the calls beside OAuth.
    static func call(_ name: String, reason: String, status: Int) -> Refusal {
        let json: JSONValue = [
            "error": [
                "name": .string(name), "reason": .string(reason), "message": "invalid refresh token",
                "code": .integer(Int64(status)),
            ]
        ]
        return Refusal(HTTPResponse(status: status, body: json.serialized))
    }

    private init(_ response: HTTPResponse) { self.response = response }
}
