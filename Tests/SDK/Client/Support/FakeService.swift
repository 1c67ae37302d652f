import Foundation
import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire

/// An OpenID provider in memory that rotates refresh tokens, and goes wrong when told to.
actor FakeService: HTTPTransport {
    /// What happens to the next request for a path, instead of the right thing.
    enum Fault: Sendable {
        /// The server is never reached.
        case unreachable
        /// The server does its work, and its answer is lost.
        case answerLost
        case answer(HTTPResponse)
        /// The server does its work once the gate opens.
        case held(Gate)
        /// The server does its work, and its answer travels until the gate opens.
        case answerHeld(Gate)
    }

    struct Code: Sendable {
        let nonce: String
        let challenge: String
        let redirectURI: String
        let scope: String
        let authTime: Int64
    }

    static let issuer = "https://id.example.com"
    static let clientID = "app"

    let clock: VirtualClock
    private let key: SigningKey
    private var codes: [String: Code] = [:]
    private var faults: [String: [Fault]] = [:]
    private var counter = 0
    private(set) var requests: [HTTPRequest] = []
    private(set) var revoked: [String] = []
    private(set) var refreshToken: String?
    private(set) var validAccessTokens: Set<String> = []

    var lifetimeSeconds: Int64? = 600
    var subject = "andy"
    var userInfoSubject: String?
    var renewsIDToken = false
    /// Whether answers say when they were made, as real servers' do.
    var datesAnswers = false
    var issuesRefreshTokens = true
    var claims: [String: JSONValue] = [:]
    var metadata: [String: JSONValue] = [:]
    var tamperedNonce: String?
    /// Requests that were handed in beforehand, by their names.
    private(set) var pushed: [String: AuthorizationRequest] = [:]
    /// Paths whose answers never say when they were made.
    var undated: Set<String> = []
    /// The keys behind a touch, and how their requests are answered.
    var biometrics = FakeBiometrics()
    /// What a device is told, question by question; after the last one it is let in.
    var deviceErrors: [String] = []
    /// What a device gets for its first request.
    var deviceAnswer: [String: JSONValue] = [:]
    /// Several people's sessions one beside the other, by their refresh tokens; `nil`: the last sign-in is the only one.
    var parallel: [String: String]?
    /// Whether a refresh answer names no refresh token, and the old one stays good.
    var keepsRefreshTokens = false

    init(_ clock: VirtualClock) throws {
        self.clock = clock
        key = try SigningKey.generate(.es256)
    }

    func set(_ change: @Sendable (isolated FakeService) -> Void) {
        change(self)
    }

    /// The next requests for `path` go wrong, one after the other.
    func fail(_ path: String, _ next: Fault...) {
        faults[path, default: []] += next
    }

    func count(_ path: String) -> Int {
        requests.count { Self.path($0.url) == path }
    }

    func forgetSession() {
        refreshToken = nil
        validAccessTokens = []
    }

    func forgetAccessTokens() {
        validAccessTokens = []
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        let path = Self.path(request.url)
        var fault: Fault?
        if faults[path]?.isEmpty == false { fault = faults[path]?.removeFirst() }
        switch fault {
        case nil: return dated(try answer(request, path), path)
        case .unreachable: throw AuthError(.unavailable, "unreachable")
        case .answerLost:
            _ = try answer(request, path)
            throw AuthError(.unavailable, "lost")
        case .answer(let response): return response
        case .held(let gate):
            await gate.pass()
            return try answer(request, path)
        case .answerHeld(let gate):
            let response = try answer(request, path)
            await gate.pass()
            return response
        }
    }

    /// What the browser does: follows the authorization request, and comes back with the callback.
    func follow(_ url: String) throws -> String {
        let query = url.split(separator: "?", maxSplits: 1).last ?? ""
        let form = try FormParameters(parsing: query)
        var request = try AuthorizationRequest(form)
        if let name = try form.one("request_uri"), let found = pushed[name] { request = found }
        let code = "code-\(nextNumber())"
        codes[code] = Code(
            nonce: request.nonce ?? "", challenge: request.codeChallenge ?? "",
            redirectURI: request.redirectURI ?? "", scope: request.scope ?? "", authTime: clock.now.rawValue)
        let response = AuthorizationResponse(outcome: .code(code), state: request.state, issuer: Self.issuer)
        return (request.redirectURI ?? "") + "?" + response.parameters.encoded
    }

    func nextNumber() -> Int {
        counter += 1
        return counter
    }

    private static func path(_ url: String) -> String {
        "/" + url.split(separator: "/").dropFirst(2).joined(separator: "/")
    }
}

extension FakeService {
    private func dated(_ response: HTTPResponse, _ path: String) -> HTTPResponse {
        guard datesAnswers, !undated.contains(path) else { return response }
        let date = Self.date(clock.now)
        return HTTPResponse(
            status: response.status, headers: response.headers + [("Date", date)], body: response.body)
    }

    /// A time as HTTP writes it.
    static func date(_ time: UnixTime) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(time.rawValue)))
    }

    private func answer(_ request: HTTPRequest, _ path: String) throws(AuthError) -> HTTPResponse {
        switch path {
        case "/.well-known/openid-configuration": return Self.json(metadataDocument())
        case "/jwks": return Self.json(["keys": [key.publicKey.json]])
        case "/token": return try token(request)
        case "/oauth2/challenge": return try challenge(request)
        case "/par": return try push(request)
        case "/device_authorization": return Self.json(.object(Self.deviceCodes.merging(deviceAnswer) { $1 }))
        case "/userinfo":
            guard isAuthorized(request) else { return Self.unauthorized }
            return Self.json(["sub": .string(userInfoSubject ?? subject), "name": "Andy", "shoe_size": 44])
        case "/revoke":
            revoked.append(try form(request)["token"] ?? "")
            forgetSession()
            return HTTPResponse(status: 200)
        case "/api": return isAuthorized(request) ? HTTPResponse(status: 200) : Self.unauthorized
        default: return HTTPResponse(status: 404)
        }
    }

    private func metadataDocument() -> JSONValue {
        var members: [String: JSONValue] = ["issuer": .string(Self.issuer)]
        let endpoints = [
            "authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo",
            "jwks_uri": "jwks", "revocation_endpoint": "revoke", "end_session_endpoint": "end_session",
        ]
        for (name, path) in endpoints { members[name] = .string(Self.issuer + "/" + path) }
        return .object(members.merging(metadata) { $1 })
    }

    func isAuthorized(_ request: HTTPRequest) -> Bool {
        let header = request.headers.first { $0.name == "Authorization" }?.value ?? ""
        return validAccessTokens.contains(String(header.dropFirst("Bearer ".count)))
    }

    private func form(_ request: HTTPRequest) throws(AuthError) -> [String: String] {
        do {
            let parameters = try FormParameters(parsing: String(decoding: request.body ?? [], as: UTF8.self))
            return Dictionary(parameters.all.map { ($0.name, $0.value) }) { first, _ in first }
        } catch {
            throw AuthError(.protocolViolation, "malformed form")
        }
    }

    /// What a device gets when nothing else was said.
    private static let deviceCodes: [String: JSONValue] = [
        "device_code": "device-code", "user_code": "WDJB-MJHT", "verification_uri": .string(issuer + "/device"),
        "verification_uri_complete": .string(issuer + "/device?user_code=WDJB-MJHT"), "expires_in": 900, "interval": 5,
    ]

    private func push(_ request: HTTPRequest) throws(AuthError) -> HTTPResponse {
        let name = PushedAuthorizationResponse.prefix + "\(nextNumber())"
        do {
            let text = String(decoding: request.body ?? [], as: UTF8.self)
            pushed[name] = try AuthorizationRequest(FormParameters(parsing: text))
        } catch {
            throw AuthError(.protocolViolation, "malformed form")
        }
        return Self.json(["request_uri": .string(name), "expires_in": 60], status: 201)
    }

    private func token(_ request: HTTPRequest) throws(AuthError) -> HTTPResponse {
        let form = try form(request)
        switch form["grant_type"] {
        case "authorization_code":
            guard let code = codes.removeValue(forKey: form["code"] ?? ""), code.redirectURI == form["redirect_uri"],
                PKCE.challenge(for: form["code_verifier"] ?? "") == code.challenge
            else { return Self.invalidGrant }
            return try issue(idToken: idToken(nonce: tamperedNonce ?? code.nonce, authTime: code.authTime))
        case "refresh_token":
            if let owner = parallel?.removeValue(forKey: form["refresh_token"] ?? "") {
                (subject, refreshToken) = (owner, form["refresh_token"])
            }
            guard let refreshToken, form["refresh_token"] == refreshToken else { return Self.invalidGrant }
            if keepsRefreshTokens { return try issue(idToken: nil, refreshing: true) }
            return try issue(idToken: renewsIDToken ? idToken(nonce: nil, authTime: clock.now.rawValue) : nil)
        case GrantType.biometricRequest.rawValue: return try biometric(request, form)
        case GrantType.deviceCode.rawValue:
            guard form["device_code"] == "device-code" else { return Self.invalidGrant }
            guard deviceErrors.isEmpty else {
                return Self.json(["error": .string(deviceErrors.removeFirst())], status: 400)
            }
            return try issue(idToken: idToken(nonce: tamperedNonce, authTime: clock.now.rawValue))
        default: return HTTPResponse(status: 400, body: Array(#"{"error":"unsupported_grant_type"}"#.utf8))
        }
    }

    func issue(idToken: String?, refreshing isKept: Bool = false) throws(AuthError) -> HTTPResponse {
        let access = "access-\(nextNumber())"
        validAccessTokens.insert(access)
        var members: [String: JSONValue] = ["access_token": .string(access), "token_type": "Bearer"]
        if let lifetimeSeconds { members["expires_in"] = .integer(lifetimeSeconds) }
        if issuesRefreshTokens, !isKept {
            refreshToken = "refresh-\(nextNumber())"
            members["refresh_token"] = refreshToken.map { .string($0) }
            if let refreshToken { parallel?[refreshToken] = subject }
        }
        if let idToken { members["id_token"] = .string(idToken) }
        return Self.json(.object(members))
    }

    func idToken(nonce: String?, authTime: Int64) throws(AuthError) -> String {
        var members: [String: JSONValue] = [
            "iss": .string(Self.issuer), "sub": .string(subject), "aud": .string(Self.clientID),
            "iat": .integer(clock.now.rawValue), "exp": .integer(clock.now.rawValue + 300),
            "auth_time": .integer(authTime),
        ]
        if let nonce { members["nonce"] = .string(nonce) }
        let payload = JSONValue.object(members.merging(claims) { $1 })
        do {
            return try JWSSigner(key: key, type: "JWT").sign(payload.serialized)
        } catch {
            throw AuthError(.protocolViolation, "signing failed")
        }
    }

    static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: value.serialized)
    }

    static let invalidGrant = json(["error": "invalid_grant"], status: 400)
    static let unauthorized = HTTPResponse(
        status: 401, headers: [("WWW-Authenticate", #"Bearer error="invalid_token""#)])
}
