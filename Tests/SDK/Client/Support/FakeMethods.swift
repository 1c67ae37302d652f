import KeyturnBase
import KeyturnVerify
import KeyturnWebAuthn
import KeyturnWire
import Testing

@testable import Keyturn

/// A service of the methods' wire in memory: rotates refresh tokens, takes the code 123456, and goes wrong when told to.
actor FakeMethods: HTTPTransport {
    static let baseURL = "https://id.example.com"

    private let clock: VirtualClock
    private var faults: [String: [FakeService.Fault]] = [:]
    private var counter = 0
    private(set) var requests: [HTTPRequest] = []
    private(set) var refreshToken: String?
    /// Every refresh token that was told to end.
    private(set) var ended: [String] = []
    var subject = "U1"
    var lifetimeSeconds: Int64 = 600
    var refreshLifetimeSeconds: Int64 = 2_592_000
    /// Whether a renewal brings another refresh token.
    var rotates = true
    /// Whether tokens travel in cookies.
    var usesCookies = false
    /// Asked so often before the right link has been followed.
    var pendingLooks = 0
    /// Whether a passkey is to be made where that is the service's choice.
    var createsPasskeys = false
    /// The page that a sign-in at a provider begins with.
    var providerPage = "https://provider.example.com/authorize"
    /// Whether a native sign-in ends with an ID token; otherwise with a code.
    var takesIDTokens = true
    static let challenge = [UInt8](repeating: 9, count: 32)

    init(_ clock: VirtualClock) {
        self.clock = clock
    }

    func set(_ change: @Sendable (isolated FakeMethods) -> Void) {
        change(self)
    }

    /// The next requests for `path` go wrong, one after the other.
    func fail(_ path: String, _ next: FakeService.Fault...) {
        faults[path, default: []] += next
    }

    func count(_ path: String) -> Int {
        requests.count { Self.path($0) == path }
    }

    func forgetSession() {
        refreshToken = nil
    }

    /// The last request as the recordings have it: method and path, bearer, body.
    var last: Recorded {
        get throws { Recorded(try #require(requests.last)) }
    }

    struct Recorded: Equatable {
        let line: String
        let bearer: String
        let body: String

        init(_ line: String, _ bearer: String, _ body: String) {
            self.line = line
            self.bearer = bearer
            self.body = body
        }

        init(_ request: HTTPRequest) {
            line = "\(request.method) \(FakeMethods.target(request))"
            bearer = request.headers.first { $0.name == "Authorization" }?.value ?? ""
            body = String(decoding: request.body ?? [], as: UTF8.self)
        }
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        let path = Self.path(request)
        var fault: FakeService.Fault?
        if faults[path]?.isEmpty == false { fault = faults[path]?.removeFirst() }
        switch fault {
        case nil: return answer(request, path)
        case .unreachable: throw AuthError(.unavailable, "unreachable")
        case .answerLost:
            _ = answer(request, path)
            throw AuthError(.unavailable, "lost")
        case .answer(let response): return response
        case .held(let gate):
            await gate.pass()
            return answer(request, path)
        case .answerHeld(let gate):
            let response = answer(request, path)
            await gate.pass()
            return response
        }
    }

    static func refusal(_ problem: MethodProblem, headers: [(name: String, value: String)] = []) -> HTTPResponse {
        HTTPResponse(status: problem.status, headers: headers, body: problem.json.serialized)
    }

    private static func target(_ request: HTTPRequest) -> String {
        String(request.url.dropFirst(baseURL.count))
    }

    private static func path(_ request: HTTPRequest) -> String {
        String(target(request).prefix { $0 != "?" })
    }
}

extension FakeMethods {
    private func answer(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        let body = (try? JSONValue(parsing: request.body ?? [])) ?? [:]
        let presented = bearer(request)
        switch path {
        case "/v1/auth/otp/verify/email", "/v1/auth/totp/verify":
            return body["code"] == "123456" ? session() : Self.refusal(.wrongCode)
        case "/v1/auth/magiclink/verify", "/v1/auth/password/signup", "/v1/auth/password/signin",
            "/v1/auth/password/replace":
            return session()
        case "/v1/auth/enchantedlink/pending-session":
            guard pendingLooks > 0 else { return session() }
            pendingLooks -= 1
            return Self.refusal(.linkPending)
        case "/v1/auth/refresh" where body["externalToken"] != nil: return session(hasUser: false)
        case "/v1/auth/refresh", "/v1/auth/tenant/select":
            guard let refreshToken, presented == refreshToken else { return Self.refusal(.tokenRevoked) }
            return session(
                hasUser: false, claims: body["tenant"].map { ["dct": $0] } ?? [:], keepsRefreshToken: !rotates)
        case "/v1/auth/logout", "/v1/auth/logoutall":
            guard let presented else { return Self.refusal(.tokenRevoked) }
            ended.append(presented)
            if presented == refreshToken || path.hasSuffix("all") { refreshToken = nil }
            return json([:])
        case "/v1/auth/accesskey/exchange": return json(["sessionJwt": .string(jwt("K1", [:]))])
        case "/v1/auth/me": return json(user.json)
        case "/v1/auth/me/tenants": return json(["tenants": [["id": "t1", "name": "One"]]])
        case "/v1/auth/me/history": return json([["userId": "U1", "loginTime": 1_700_000_000, "ip": "10.0.0.1"]])
        case "/v1/auth/password/policy":
            return json(PasswordPolicyAnswer(minLength: 8, lowercase: true).json)
        case "/v1/auth/webauthn/signup/start", "/v1/auth/webauthn/update/start": return ceremony(isCreation: true)
        case "/v1/auth/webauthn/signin/start": return ceremony(isCreation: false)
        case "/v1/auth/webauthn/signup-in/start": return ceremony(isCreation: createsPasskeys)
        case "/v1/auth/webauthn/signup/finish", "/v1/auth/webauthn/signin/finish": return session()
        case "/v1/auth/webauthn/update/finish": return json([:])
        case "/v1/auth/oauth/authorize", "/v1/auth/sso/authorize": return json(["url": .string(providerPage)])
        case "/v1/auth/oauth/exchange", "/v1/auth/sso/exchange":
            return body["code"] == "good" ? session() : Self.refusal(.wrongExchangeCode)
        case "/v1/auth/oauth/native/start":
            return json(
                NativeSocialStartAnswer(
                    clientID: "server-client", stateID: "S1", nonce: "N1", isImplicit: takesIDTokens
                ).json)
        case "/v1/auth/oauth/native/finish":
            let proof = takesIDTokens ? body["idToken"] : body["code"]
            return body["stateId"] == "S1" && proof == "good" ? session() : Self.refusal(.wrongExchangeCode)
        case "/v1/auth/totp/signup", "/v1/auth/totp/update":
            return json(["provisioningURL": "otpauth://totp/a?secret=ABC", "image": "+/8=", "key": "ABC"])
        default: return send(path)
        }
    }

    private func send(_ path: String) -> HTTPResponse {
        if path.contains("/enchantedlink/") {
            return json(["linkId": "42", "pendingRef": "ref", "maskedEmail": "a***@example.com"])
        }
        if path.contains("/otp/") || path.contains("/magiclink/") || path.contains("/password/") {
            return json(path.hasSuffix("email") ? ["maskedEmail": "a***@example.com"] : ["maskedPhone": "***12"])
        }
        return HTTPResponse(status: 404)
    }

    private func ceremony(isCreation: Bool) -> HTTPResponse {
        let options =
            isCreation
            ? PublicKeyCredentialCreationOptions(
                rpID: "example.com", rpName: "Ex", user: .init(id: [1], name: "a"), challenge: Self.challenge,
                algorithms: [-7]
            ).json
            : PublicKeyCredentialRequestOptions(challenge: Self.challenge, rpID: "example.com").json
        return json(
            PasskeyStartAnswer(transactionID: "T1", options: ["publicKey": options], isCreation: isCreation, page: "P1")
                .json)
    }

    private var user: UserAnswer {
        var user = UserAnswer(
            userID: subject, loginIDs: ["a@example.com"], status: .enabled, createdTime: UnixTime(rawValue: 1))
        user.email = "a@example.com"
        user.name = "Andy"
        return user
    }

    private func session(
        hasUser: Bool = true, claims: [String: JSONValue] = [:], keepsRefreshToken: Bool = false
    ) -> HTTPResponse {
        let session = jwt(subject, claims)
        let refresh = jwt(subject, ["drn": "DSR"], seconds: refreshLifetimeSeconds)
        if !keepsRefreshToken { refreshToken = refresh }
        let answer = SessionAnswer(
            sessionJWT: usesCookies ? nil : Secret(session),
            refreshJWT: usesCookies || keepsRefreshToken ? nil : Secret(refresh),
            firstSeen: true, user: hasUser ? user : nil)
        guard usesCookies else { return json(answer.json) }
        let stale = jwt(subject, [:], seconds: -10)
        return HTTPResponse(
            status: 200,
            headers: [
                (
                    "Set-Cookie",
                    "DS=\(stale); Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT, ds=\(session); Secure; HttpOnly"
                ),
                ("Set-Cookie", "DSR=\(refresh); Path=/"),
            ], body: answer.json.serialized)
    }

    private func jwt(_ subject: String, _ claims: [String: JSONValue], seconds: Int64? = nil) -> String {
        counter += 1
        var all: [String: JSONValue] = [
            "sub": .string(subject), "iss": "https://id.example.com/P1", "iat": .integer(clock.now.rawValue),
            "exp": .integer(clock.now.rawValue + (seconds ?? lifetimeSeconds)), "jti": .integer(Int64(counter)),
            "permissions": ["read"], "tenants": ["t1": ["roles": ["admin"], "permissions": ["write"]]],
        ]
        all.merge(claims) { $1 }
        return "eyJhIjoxfQ." + Base64URL.encode(JSONValue.object(all).serialized) + ".c2ln"
    }

    private func bearer(_ request: HTTPRequest) -> String? {
        let header = request.headers.first { $0.name == "Authorization" }?.value ?? ""
        return ProjectBearer(header: header)?.refreshJWT?.exposed()
    }

    private func json(_ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, body: value.serialized)
    }
}

/// One device and a service of the methods' wire.
struct MethodWorld: Sendable {
    let clock = VirtualClock()
    let service: FakeMethods
    let store = FragileStore()

    init() {
        service = FakeMethods(clock)
    }

    func container(_ name: String = "default") -> Keyturn {
        Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL), name: name, storage: .custom(store),
            transport: service, ambient: clock.ambient)
    }

    /// A container in which somebody has signed in with a code.
    func signedIn(_ name: String = "default") async throws -> Keyturn {
        let auth = container(name)
        try await auth.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        return auth
    }
}
