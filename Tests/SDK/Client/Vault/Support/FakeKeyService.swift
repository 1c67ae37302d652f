import KeyturnBase
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// A key service in memory that counts wrong secrets and locks after three, and goes wrong when told to.
actor FakeKeyService: HTTPTransport {
    struct Key: Sendable {
        var secret: String
        let key: String
        let longSecret: String
        var failures = 0
        var isLocked: Bool { failures >= 3 }
    }

    /// Whether it knows more than `createkey` and `key`.
    private let isOurs: Bool
    private(set) var keys: [String: Key] = [:]
    private(set) var requests: [HTTPRequest] = []
    private var made: [String: String] = [:]
    private var faults: [String: [FakeService.Fault]] = [:]
    /// Whether `key` hands the long secret out, as newer services do.
    var handsOutLongSecrets = true
    var keyBytes = 32

    init(isOurs: Bool = true) {
        self.isOurs = isOurs
    }

    func set(_ change: @Sendable (isolated FakeKeyService) -> Void) {
        change(self)
    }

    /// The next requests for `endpoint` go wrong, one after the other.
    func fail(_ endpoint: String, _ next: FakeService.Fault...) {
        faults[endpoint, default: []] += next
    }

    func count(_ endpoint: String) -> Int {
        requests.count { Self.endpoint($0) == endpoint }
    }

    func bodies(_ endpoint: String) -> [String] {
        requests.filter { Self.endpoint($0) == endpoint }.map { String(decoding: $0.body ?? [], as: UTF8.self) }
    }

    func header(_ name: String, of endpoint: String) -> [String] {
        requests.filter { Self.endpoint($0) == endpoint }.compactMap { request in
            request.headers.first { $0.name == name }?.value
        }
    }

    /// A key that another library has made.
    func add(_ id: String, secret: String, key: String, longSecret: String = "long") {
        keys[id] = Key(secret: secret, key: key, longSecret: longSecret)
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        let endpoint = Self.endpoint(request)
        var fault: FakeService.Fault?
        if faults[endpoint]?.isEmpty == false { fault = faults[endpoint]?.removeFirst() }
        switch fault {
        case nil: return answer(request, endpoint)
        case .unreachable: throw AuthError(.unavailable, "unreachable")
        case .answerLost:
            _ = answer(request, endpoint)
            throw AuthError(.unavailable, "lost")
        case .answer(let response): return response
        case .held(let gate):
            await gate.pass()
            return answer(request, endpoint)
        case .answerHeld(let gate):
            let response = answer(request, endpoint)
            await gate.pass()
            return response
        }
    }

    private static func endpoint(_ request: HTTPRequest) -> String {
        guard let range = request.url.firstRange(of: KeyServicePaths.root) else { return "" }
        return String(request.url[range.upperBound...])
    }

    private func answer(_ request: HTTPRequest, _ endpoint: String) -> HTTPResponse {
        if isOurs, request.method == "DELETE", endpoint.hasPrefix("keys/") {
            guard request.headers.contains(where: { $0.name == "Authorization" }) else { return refusal(401, nil) }
            return keys.removeValue(forKey: String(endpoint.dropFirst(5))) == nil
                ? refusal(404, .unknownKey) : HTTPResponse(status: 204)
        }
        guard let asked = KeyServiceRequest(parsing: request.body ?? []) else { return refusal(400, .invalidRequest) }
        switch endpoint {
        case "createkey": return create(asked, request)
        case "key": return open(asked) { id, key in self.body(id, key, isNew: false) }
        case "changesecret" where isOurs:
            return open(asked) { id, key in
                self.keys[id]?.secret = asked.newSecret?.exposed() ?? ""
                return self.body(id, key, isNew: false)
            }
        case "deletekey" where isOurs:
            return open(asked) { id, _ in
                self.keys[id] = nil
                return HTTPResponse(status: 204)
            }
        default: return HTTPResponse(status: 404, body: Array("<html>".utf8))
        }
    }

    private func create(_ asked: KeyServiceRequest, _ request: HTTPRequest) -> HTTPResponse {
        let name = request.headers.first { $0.name == KeyServicePaths.idempotencyKey }?.value ?? ""
        let id = made[name] ?? "key-\(keys.count + made.count + 1)"
        made[name] = id
        if keys[id] == nil {
            keys[id] = Key(
                secret: asked.secret?.exposed() ?? "", key: Self.base64(Ambient.live.randomBytes(keyBytes)),
                longSecret: Ambient.live.randomToken())
        }
        return keys[id].map { body(id, $0, isNew: true) } ?? refusal(500, nil)
    }

    private func open(_ asked: KeyServiceRequest, _ then: (String, Key) -> HTTPResponse) -> HTTPResponse {
        guard let id = asked.keyID, var key = keys[id] else { return refusal(404, isOurs ? .unknownKey : nil) }
        guard !key.isLocked else { return isOurs ? refusal(403, .keyLocked, 0) : HTTPResponse(status: 204) }
        let isRight =
            asked.longSecret?.exposed() == key.longSecret || asked.secret.map { $0.exposed() == key.secret } ?? false
        key.failures = isRight ? 0 : key.failures + 1
        keys[id] = key
        guard isRight else {
            return key.isLocked ? refusal(403, .keyLocked, 0) : refusal(401, .wrongSecret, 3 - key.failures)
        }
        return then(id, key)
    }

    private func body(_ id: String, _ key: Key, isNew: Bool) -> HTTPResponse {
        let longSecret = isNew || handsOutLongSecrets ? Secret(key.longSecret) : nil
        return HTTPResponse(
            status: 200, body: KeyServiceAnswer(keyID: id, key: Secret(key.key), longSecret: longSecret).body)
    }

    private func refusal(_ status: Int, _ code: KeyServiceRefusal.Code?, _ remaining: Int? = nil) -> HTTPResponse {
        let body = code.map { KeyServiceRefusal($0, "no", remainingAttempts: remaining).body } ?? []
        return HTTPResponse(status: status, body: isOurs ? body : [])
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}

/// Sends each request where it belongs.
struct VaultNetwork: HTTPTransport {
    let service: FakeService
    let keys: FakeKeyService

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        request.url.contains(KeyServicePaths.root)
            ? try await keys.send(request) : try await service.send(request)
    }
}
