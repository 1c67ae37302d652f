import Foundation
import KeyturnBase
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// A service as Box documents it, in memory, that goes wrong when told to.
actor FakeBox: HTTPTransport {
    /// What happens to the next request for a path, instead of the right thing.
    enum Fault: Sendable {
        /// The server is never reached.
        case unreachable
        /// The server does its work, and its answer is lost.
        case lost
        case answer(HTTPResponse)
        /// The server does its work once the gate opens.
        case held(Gate)
    }

    private let clock: VirtualClock
    private var faults: [String: [Fault]] = [:]
    private var issued = 0
    private(set) var requests: [HTTPRequest] = []
    private(set) var revoked: [String] = []
    private(set) var good: Set<String> = []
    private(set) var refreshToken: String?
    /// `nil`: the answer does not say.
    private(set) var lifetimeSeconds: Int64? = 3_600
    /// How far the server's clock is ahead.
    private(set) var aheadSeconds: Int64 = 0
    private(set) var checksAssertions = false

    init(_ clock: VirtualClock) {
        self.clock = clock
    }

    func set(_ change: @Sendable (isolated FakeBox) -> Void) { change(self) }
    func setLifetime(_ seconds: Int64?) { lifetimeSeconds = seconds }
    func setClock(aheadSeconds: Int64) { (self.aheadSeconds, checksAssertions) = (aheadSeconds, true) }
    func forgetTokens() { good = [] }
    func give(refreshToken: String?) { self.refreshToken = refreshToken }
    func give(token: String) { good.insert(token) }

    /// The next requests for `path` go wrong, one after the other.
    func fail(_ path: String, _ next: Fault...) { faults[path, default: []] += next }

    func sent(_ path: String) -> [HTTPRequest] { requests.filter { Self.path($0.url) == path } }
    func count(_ path: String) -> Int { sent(path).count }
    var tokenRequests: Int { count("/oauth2/token") }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        let path = Self.path(request.url)
        var fault: Fault?
        if faults[path]?.isEmpty == false { fault = faults[path]?.removeFirst() }
        switch fault {
        case nil: return dated(answer(request, path))
        case .unreachable: throw AuthError(.unavailable, "unreachable")
        case .lost:
            _ = answer(request, path)
            throw AuthError(.unavailable, "lost")
        case .answer(let response): return dated(response)
        case .held(let gate):
            await gate.pass()
            guard !Task.isCancelled else { throw .taskCancelled }
            return dated(answer(request, path))
        }
    }

    static func path(_ url: String) -> String {
        "/" + url.prefix { $0 != "?" }.split(separator: "/").dropFirst(2).joined(separator: "/")
    }

    static func form(_ request: HTTPRequest) -> [String: String] {
        let text = String(decoding: request.body ?? [], as: UTF8.self)
        guard let parameters = try? FormParameters(parsing: text) else { return [:] }
        return Dictionary(parameters.all.map { ($0.name, $0.value) }) { first, _ in first }
    }

    private func dated(_ response: HTTPResponse) -> HTTPResponse {
        guard response.header("Date") == nil else { return response }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = formatter.string(from: Date(timeIntervalSince1970: Double(clock.now.rawValue + aheadSeconds)))
        return HTTPResponse(status: response.status, headers: response.headers + [("Date", date)], body: response.body)
    }

    private func answer(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        switch path {
        case "/oauth2/token": return token(Self.form(request))
        case "/oauth2/revoke":
            let token = Self.form(request)["token"] ?? ""
            revoked.append(token)
            good.remove(token)
            return Self.json([:])
        default:
            let header = request.headers.first { $0.name == "Authorization" }?.value ?? ""
            guard good.contains(String(header.dropFirst("Bearer ".count))) else { return Self.unauthorized }
            return Self.json(["type": "user", "id": "11", "name": "Ann", "login": "ann@example.com"])
        }
    }

    private func token(_ form: [String: String]) -> HTTPResponse {
        if let assertion = form["assertion"], checksAssertions, !isTimely(assertion) {
            return Self.json(
                ["error": "invalid_grant", "error_description": "Please check the 'exp' claim."], status: 400)
        }
        if form["grant_type"] == "refresh_token" {
            guard let refreshToken, form["refresh_token"] == refreshToken else { return Self.invalidGrant }
        }
        if let parent = form["subject_token"], !good.contains(parent) {
            return Self.json(["error": "invalid_grant"], status: 400)
        }
        issued += 1
        let access = "access-\(issued)"
        good.insert(access)
        var members: [String: JSONValue] = [
            "access_token": .string(access), "token_type": "bearer", "restricted_to": [],
        ]
        if let lifetimeSeconds { members["expires_in"] = .integer(lifetimeSeconds) }
        if ["refresh_token", "authorization_code"].contains(form["grant_type"]) {
            refreshToken = "refresh-\(issued)"
            members["refresh_token"] = refreshToken.map { .string($0) }
        }
        if form["subject_token"] != nil {
            members["issued_token_type"] = .string(TokenTypeIdentifier.accessToken.rawValue)
            members["restricted_to"] = [
                ["scope": .string(form["scope"] ?? ""), "object": ["type": "file", "id": "123"]]
            ]
        }
        return Self.json(.object(members))
    }

    private func isTimely(_ assertion: String) -> Bool {
        let exp = Self.claims(assertion)["exp"]?.integerValue ?? 0
        let now = clock.now.rawValue + aheadSeconds
        return exp > now && exp <= now + 60
    }

    static func claims(_ token: String, part: Int = 1) -> JSONValue {
        let parts = token.split(separator: ".")
        let bytes = parts.count > part ? Base64URL.decode(parts[part]) : nil
        return bytes.flatMap { try? JSONValue(parsing: $0) } ?? .null
    }

    static func json(_ value: JSONValue, status: Int = 200, headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "application/json")] + headers, body: value.serialized)
    }

    static let invalidGrant = json(["error": "invalid_grant", "error_description": "gone"], status: 400)
    static let unauthorized = HTTPResponse(
        status: 401, headers: [("WWW-Authenticate", #"Bearer realm="Service", error="invalid_token""#)])
    static func busy(_ status: Int, retryAfter: String? = nil) -> HTTPResponse {
        HTTPResponse(status: status, headers: retryAfter.map { [("Retry-After", $0)] } ?? [])
    }
}

/// A service, a clock, and clients whose pauses take no time.
struct BoxWorld: Sendable {
    let clock = VirtualClock()
    let service: FakeBox
    let pauses = Locked<[Duration]>([])
    static let application = ServiceApplication(clientID: "CID", clientSecret: "SEC")
    static let enterprise = ServiceCredential.clientCredentials(subject: .enterprise("1"))

    init() {
        service = FakeBox(clock)
    }

    func client(
        _ credential: ServiceCredential = enterprise, application: ServiceApplication? = application,
        configuration: ServiceConfiguration = .box, store: (any TokenStore)? = nil, wrongBy: Int64 = 0
    ) -> ServiceClient {
        let pauses = pauses
        return ServiceClient(
            credential, application: application, configuration: configuration, store: store, transport: service,
            ambient: clock.ambient(wrongBy: wrongBy),
            pause: { duration in
                try Task.checkCancellation()
                pauses.withLock { $0.append(duration) }
            })
    }

    static let me = "/2.0/users/me"

    func fetch(_ client: ServiceClient, _ path: String = me) async throws(AuthError) -> HTTPResponse {
        try await client.send(HTTPRequest(url: "https://api.box.com" + path))
    }
}

/// A token store that fails when told to.
actor FragileTokenStore: TokenStore {
    struct Broken: Error {}

    private(set) var contents: [String: ServiceTokens] = [:]
    private var isReadable = true
    private var isWritable = true

    func set(readable: Bool = true, writable: Bool = true) { (isReadable, isWritable) = (readable, writable) }

    func read(_ name: String) throws -> ServiceTokens? {
        guard isReadable else { throw Broken() }
        return contents[name]
    }

    func write(_ tokens: ServiceTokens, for name: String) throws {
        guard isWritable else { throw Broken() }
        contents[name] = tokens
    }

    func clear(_ name: String) throws {
        guard isWritable else { throw Broken() }
        contents[name] = nil
    }
}
