import KeyturnBase
import KeyturnVerify
import KeyturnWebAuthn
import KeyturnWire
import Testing

@testable import Keyturn

/// A passkey service in memory, which judges ceremonies by the real rules, and goes wrong when told to.
actor FakePasskeyService: HTTPTransport {
    static let host = "https://passkeys.example.com"
    static let rpID = "example.com"

    private var faults: [String: [FakeService.Fault]] = [:]
    private(set) var requests: [HTTPRequest] = []
    private(set) var records: [CredentialRecord] = []
    private var challenges: [UInt8] = []
    private var count: UInt8 = 0
    /// Said beside every success.
    var warnings: [PasskeyServiceError] = []
    var timeoutMilliseconds: Int64 = 60_000

    func set(_ change: @Sendable (isolated FakePasskeyService) -> Void) {
        change(self)
    }

    /// The next requests for `route` go wrong, one after the other.
    func fail(_ route: PasskeyRoute, _ next: FakeService.Fault...) {
        faults[route.path, default: []] += next
    }

    var bodies: [String] {
        requests.map {
            String($0.url.dropFirst(Self.host.count)) + " " + String(decoding: $0.body ?? [], as: UTF8.self)
        }
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        requests.append(request)
        let path = String(request.url.dropFirst(Self.host.count))
        var fault: FakeService.Fault?
        if faults[path]?.isEmpty == false { fault = faults[path]?.removeFirst() }
        switch fault {
        case nil: return answer(request, path)
        case .unreachable, .answerLost: throw AuthError(.unavailable, "unreachable")
        case .answer(let response): return response
        case .held(let gate), .answerHeld(let gate):
            await gate.pass()
            return answer(request, path)
        }
    }

    static func refusal(_ code: PasskeyErrorCode, status: Int = 400) -> HTTPResponse {
        let error = PasskeyServiceError(code: code, message: "because of \(code.rawValue)")
        return HTTPResponse(status: status, body: PasskeyEnvelope(refusal: error).json.serialized)
    }

    static func body(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(text.utf8))
    }

    private func answer(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        guard let policy = try? WebAuthnPolicy(rpID: Self.rpID, rpName: "Ex", origins: ["https://example.com"]),
            let body = try? JSONValue(parsing: request.body ?? [])
        else { return HTTPResponse(status: 500) }
        do {
            switch PasskeyRoute(path: path) {
            case .attestationOptions: return registration(policy, try AttestationOptionsRequest(json: body))
            case .assertionOptions: return authentication(policy, try AssertionOptionsRequest(json: body))
            case .attestationProcess:
                let response = try RegistrationResponse(json: AttestationProcessRequest(json: body).credential)
                let ceremony = RegistrationCeremony(
                    policy: policy, challenge: response.unverifiedChallenge ?? challenge(0), userHandle: [1])
                records.append(try ceremony.verify(response).record)
                return success(["token": "reg", "expiresAt": 1_800_000_300])
            case .assertionProcess:
                let response = try AuthenticationResponse(json: AssertionProcessRequest(json: body).credential)
                guard let record = records.first(where: { $0.id == response.id }) else {
                    return Self.refusal(.entityNotFound)
                }
                _ = try AuthenticationCeremony(
                    policy: policy, challenge: response.unverifiedChallenge ?? challenge(0), subject: .anybody
                ).verify(response, record: record)
                return success(["token": "auth", "expiresAt": 1_800_000_120])
            default: return HTTPResponse(status: 404)
            }
        } catch {
            return Self.refusal(.invalidInput)
        }
    }

    private func challenge(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

    private func registration(_ policy: WebAuthnPolicy, _ request: AttestationOptionsRequest) -> HTTPResponse {
        count += 1
        var options = policy.creationOptions(challenge: challenge(count), user: .init(id: [1]))
        options.timeoutMilliseconds = timeoutMilliseconds
        let mediation = request.isUpgrade == true ? PasskeyOptions.conditional : nil
        return success(PasskeyOptions(publicKey: options.json, mediation: mediation).json)
    }

    private func authentication(_ policy: WebAuthnPolicy, _ request: AssertionOptionsRequest) -> HTTPResponse {
        count += 1
        var options = policy.requestOptions(
            challenge: challenge(count), allowing: request.user == nil ? [] : records.map(\.descriptor))
        options.timeoutMilliseconds = timeoutMilliseconds
        let mediation = request.user == nil ? PasskeyOptions.conditional : nil
        return success(PasskeyOptions(publicKey: options.json, mediation: mediation).json)
    }

    private func success(_ result: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, body: PasskeyEnvelope(result: result, warnings: warnings).json.serialized)
    }
}

/// One device with an authenticator, and a passkey service.
struct PasskeyWorld: Sendable {
    let clock = VirtualClock()
    let service = FakePasskeyService()

    func container(_ authenticator: any PasskeyAuthenticator) -> Keyturn {
        Keyturn(
            .snapAuth(publishableKey: "pubkey_x", host: FakePasskeyService.host), storage: .memory,
            authenticator: authenticator, transport: service, ambient: clock.ambient)
    }
}

/// An authenticator that does what it was told, and nothing else.
actor ScriptedAuthenticator: PasskeyAuthenticator {
    enum Step: Sendable {
        case fail(AuthError)
        /// Never answers, and does not care whether it is cancelled.
        case ignore
        /// Waits until it is cancelled.
        case wait
    }

    nonisolated let availability = PasskeyAvailability(
        passkeys: true, securityKeys: true, autofill: true, upgrades: true)
    private var steps: [Step]
    private let inner: any PasskeyAuthenticator
    private(set) var events: [String] = []
    let arrived = Gate()

    /// - Parameter inner: Answers once the steps are used up.
    init(_ steps: [Step], then inner: any PasskeyAuthenticator) {
        self.steps = steps
        self.inner = inner
    }

    func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse {
        try await step()
        return try await inner.create(options, in: ceremony)
    }

    func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        try await step()
        return try await inner.get(options, in: ceremony)
    }

    private func step() async throws(AuthError) {
        events.append("asked")
        guard !steps.isEmpty else { return }
        let step = steps.removeFirst()
        let arrived = arrived
        await arrived.open()
        switch step {
        case .fail(let error): throw error
        case .ignore:
            let never = Gate()
            await never.pass()
        case .wait:
            while (try? await Task.sleep(for: .seconds(3_600))) != nil {}
            events.append("let go")
            throw AuthError(.cancelled, "cancelled", cause: CancellationError())
        }
    }
}

/// Options that nobody looks into.
enum SecurityOptions {
    static let any = PublicKeyCredentialRequestOptions(challenge: [UInt8](repeating: 1, count: 32), rpID: "example.com")
}
