import Crypto
import Federation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Synchronization

/// A provider with a real key that answers whatever a test wants, and remembers what it was asked.
final class SigningProvider: OutgoingHTTP {
    struct Script: Sendable {
        var issuer = "https://provider.example"
        var keyID = "k1"
        var claims: [String: JSONValue] = [:]
        var tokenAnswer: JSONValue?
        var discovery: [String: JSONValue] = [:]
        var documents: [String: JSONValue] = [:]
        /// Answers as they are, by address.
        var raw: [String: OutgoingAnswer] = [:]
        var header: [String: JSONValue] = [:]
        var isDown = false
        var nonce: String?
        var tokenStatus = 200
        /// The keys are answered after so many redemptions.
        var redemptionsBeforeKeys = 0
    }

    let script: Mutex<Script>
    let requests = Mutex<[OutgoingRequest]>([])
    let keys: Mutex<[(id: String, key: P256.Signing.PrivateKey)]>
    static let now = UnixTime(rawValue: 1_800_000_000)

    init(_ change: (inout Script) -> Void = { _ in }) {
        var script = Script()
        change(&script)
        self.script = Mutex(script)
        keys = Mutex([("k1", P256.Signing.PrivateKey())])
    }

    func change(_ change: (inout Script) -> Void) { script.withLock { change(&$0) } }

    func count(_ suffix: String) -> Int { requests.withLock { $0.count { $0.uri.hasSuffix(suffix) } } }

    /// The form that the token endpoint got last.
    var redemption: FormParameters? {
        requests.withLock { all in
            all.last { $0.uri.hasSuffix("/token") }.flatMap {
                try? FormParameters(parsing: String(decoding: $0.body, as: UTF8.self))
            }
        }
    }

    func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer {
        requests.withLock { $0.append(request) }
        let script = script.withLock { $0 }
        if script.isDown { throw .unreachable }
        if let answer = script.raw[request.uri] { return answer }
        if let document = script.documents[request.uri] { return Self.json(document) }
        if request.uri.hasSuffix("/.well-known/openid-configuration") {
            var document: [String: JSONValue] = [
                "issuer": .string(script.issuer), "authorization_endpoint": .string(script.issuer + "/authorize"),
                "token_endpoint": .string(script.issuer + "/token"), "jwks_uri": .string(script.issuer + "/keys"),
            ]
            document.merge(script.discovery) { _, new in new }
            return Self.json(.object(document))
        }
        if request.uri.hasSuffix("/keys") {
            while count("/token") < script.redemptionsBeforeKeys { await Task.yield() }
            for _ in 0..<(script.redemptionsBeforeKeys * 64) { await Task.yield() }
            return Self.json(["keys": .array(keys.withLock { $0.map(Self.published) })])
        }
        guard request.uri.hasSuffix("/token") else { throw .unreachable }
        let answer =
            script.tokenAnswer ?? ["access_token": "at", "token_type": "Bearer", "id_token": .string(idToken())]
        return OutgoingAnswer(
            status: script.tokenStatus, contentType: "application/json", body: answer.serialized)
    }

    private static func json(_ value: JSONValue) -> OutgoingAnswer {
        OutgoingAnswer(status: 200, contentType: "application/json", body: value.serialized)
    }

    private static func published(_ id: String, _ key: P256.Signing.PrivateKey) -> JSONValue {
        let point = Array(key.publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "kid": .string(id), "alg": "ES256", "use": "sig",
            "x": .string(Base64URL.encode(point[..<32])), "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    func idToken() -> String {
        let script = script.withLock { $0 }
        var claims: [String: JSONValue] = [
            "iss": .string(script.issuer), "aud": "client", "sub": "248289761001",
            "iat": .integer(Self.now.rawValue), "exp": .integer(Self.now.rawValue + 300),
        ]
        if let nonce = script.nonce { claims["nonce"] = .string(nonce) }
        for (name, value) in script.claims { claims[name] = value == .null ? nil : value }
        var header: [String: JSONValue] = ["alg": "ES256", "kid": .string(script.keyID)]
        header.merge(script.header) { _, new in new }
        let signed =
            Base64URL.encode(JSONValue.object(header).serialized) + "."
            + Base64URL.encode(JSONValue.object(claims).serialized)
        let key = keys.withLock { $0.first { $0.id == script.keyID }?.key ?? $0[0].key }
        guard let signature = try? key.signature(for: Array(signed.utf8)) else { return signed }
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }
}

/// A sign-in at such a provider, from the departure to the profile.
struct ProviderPassage {
    let provider: SigningProvider
    let connection: Connection
    let speaker: OpenIDProtocol

    init(
        _ provider: SigningProvider = SigningProvider(),
        _ settings: OpenIDConnectionSettings = OpenIDConnectionSettings(
            issuer: "https://provider.example", clientID: "client", clientSecret: "secret")
    ) {
        self.provider = provider
        connection = Connection(
            id: "c1", name: "Provider", settings: .openID(settings), createdAt: SigningProvider.now,
            updatedAt: SigningProvider.now)
        let counter = Mutex<UInt8>(0)
        speaker = OpenIDProtocol(
            issuer: "https://id.example", http: provider,
            ambient: Ambient(
                clock: { SigningProvider.now },
                entropy: { count in
                    let start = counter.withLock { value in
                        value &+= 1
                        return value
                    }
                    return (0..<count).map { start &+ UInt8($0) }
                }))
    }

    /// The query of the departure, and the state that is kept.
    func leave(_ start: ConnectionStart = ConnectionStart(handle: "handle")) async throws -> (
        FormParameters, FederationState
    ) {
        let departure = try await speaker.begin(start, at: connection)
        guard case .redirect(let address) = departure.way, let mark = address.firstIndex(of: "?") else {
            throw ConnectionProblem(.misconfigured, code: "no redirect")
        }
        let query = try FormParameters(parsing: String(address[address.index(after: mark)...]))
        provider.change { $0.nonce = query.values("nonce").first }
        return (
            query,
            FederationState(
                connectionID: "c1", purpose: .link(session: ""), browser: "", protocolState: departure.protocolState,
                startedAt: SigningProvider.now)
        )
    }

    func comeBack(_ state: FederationState, _ extra: [(name: String, value: String)] = [(name: "code", value: "c0de")])
        async throws -> FederatedProfile
    {
        try await speaker.finish([(name: "state", value: "handle")] + extra, state, at: connection)
    }

    /// Leaves and comes back.
    func pass() async throws -> FederatedProfile {
        try await comeBack(try await leave().1)
    }

    /// The code of the refusal; `nil`: it was accepted.
    func refusal(_ change: (inout SigningProvider.Script) -> Void) async throws -> String? {
        let state = try await leave().1
        provider.change(change)
        do {
            _ = try await comeBack(state)
            return nil
        } catch let problem as ConnectionProblem {
            return problem.code
        }
    }
}
