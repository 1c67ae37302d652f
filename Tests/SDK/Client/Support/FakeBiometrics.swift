import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// What a service knows of keys behind a touch.
struct FakeBiometrics: Sendable {
    /// A request as it was signed.
    struct Request: Sendable {
        let header: JSONValue
        let payload: JSONValue
        let form: [String: String]
    }

    /// Keys by their names, and whose they are.
    var keys: [String: (key: JSONWebKey, subject: String)] = [:]
    /// Challenges that were not used yet, and until when they count.
    var challenges: [String: UnixTime] = [:]
    /// What came, good or not.
    var requests: [Request] = []
    /// The body after a set-up.
    var setUpAnswer: [UInt8] = []
    /// What is said about a request that is none, or a key that is none.
    var refusal = BiometricNames.invalidCredentials
    /// Whether every request is refused so.
    var refuses = false
    /// How long the person's touch takes is up to the test; a challenge counts this long, in seconds.
    var challengeSeconds: Int64 = 300
}

extension FakeService {
    func challenge(_ request: HTTPRequest) throws(AuthError) -> HTTPResponse {
        guard let asked = ChallengeRequest(parsing: request.body ?? []), asked.purpose == .biometricRequest else {
            return HTTPResponse(status: 400, body: Array(#"{"error":{"name":"BadRequest"}}"#.utf8))
        }
        let token = "challenge-\(nextNumber())"
        biometrics.challenges[token] = clock.now + biometrics.challengeSeconds
        let body = Challenge(token: token, expiresAt: "2027-01-15T08:05:00.5Z").body
        return HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: body)
    }

    func biometric(_ request: HTTPRequest, _ form: [String: String]) throws(AuthError) -> HTTPResponse {
        do {
            let jws = try UnverifiedJWS(form["jwt"] ?? "")
            let payload = try JSONValue(parsing: jws.unverifiedPayload)
            biometrics.requests.append(.init(header: jws.header.members, payload: payload, form: form))
            guard !biometrics.refuses, isInTime(payload), takeChallenge(payload), let kid = jws.header.keyID,
                jws.header.type == BiometricNames.requestType
            else { return refused }
            switch payload["action"]?.stringValue {
            case "setup": return try setUp(jws, kid, request)
            case "authenticate":
                guard let known = biometrics.keys[kid] else { return refused }
                _ = try jws.verify(with: VerificationKey(known.key, algorithm: jws.header.algorithm))
                let usual = subject
                subject = known.subject
                defer { subject = usual }
                return try issue(idToken: idToken(nonce: nil, authTime: clock.now.rawValue))
            default: return refused
            }
        } catch {
            return refused
        }
    }

    private func setUp(_ jws: UnverifiedJWS, _ kid: String, _ request: HTTPRequest) throws -> HTTPResponse {
        guard isAuthorized(request) else {
            return Self.json(
                [
                    "error": "invalid_grant",
                    "error_description": "biometric setup requires authenticated user",
                ], status: 401)
        }
        guard let jwk = jws.header.members["jwk"] else { return refused }
        let key = try JSONWebKey(jwk)
        _ = try jws.verify(with: VerificationKey(key, algorithm: jws.header.algorithm))
        biometrics.keys[kid] = (key, subject)
        return HTTPResponse(status: 200, body: biometrics.setUpAnswer)
    }

    /// As shipped servers judge it: five minutes either way.
    private func isInTime(_ payload: JSONValue) -> Bool {
        guard let from = payload["iat"]?.integerValue, let until = payload["exp"]?.integerValue else { return false }
        return from <= clock.now.rawValue + 300 && clock.now.rawValue < until + 300
    }

    private func takeChallenge(_ payload: JSONValue) -> Bool {
        guard let token = payload["challenge"]?.stringValue,
            let until = biometrics.challenges.removeValue(forKey: token)
        else { return false }
        return clock.now < until
    }

    private var refused: HTTPResponse {
        Self.json(["error": "invalid_grant", "error_description": .string(biometrics.refusal)], status: 400)
    }
}

extension World {
    static let prompt = BiometricPrompt(reason: "to sign in")

    /// A container whose service has the biometric grant.
    func touchable(
        _ device: any BiometricDevice, _ name: String = "default", clientID: String = FakeService.clientID,
        storage: SessionStorage? = nil, vaultStorage: SessionStorage? = nil, binding: Service.Binding = .refreshToken,
        wrongBy: Int64 = 0
    ) -> Keyturn {
        Keyturn(
            .keyturn(issuer: FakeService.issuer, clientID: clientID, binding: binding), name: name,
            storage: storage ?? .custom(store), vaultStorage: vaultStorage,
            browser: FakeBrowser(service: service) { $0 }, biometricDevice: device, transport: service,
            ambient: clock.ambient(wrongBy: wrongBy))
    }

    /// The same with somebody signed in, and a key.
    func enabled(_ device: any BiometricDevice, _ name: String = "default") async throws -> Keyturn {
        let auth = touchable(device, name)
        try await auth.authorize(redirectURI: Self.redirectURI)
        try await auth.biometrics.enable(Self.prompt)
        return auth
    }
}
