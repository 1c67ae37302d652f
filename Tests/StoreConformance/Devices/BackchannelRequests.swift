import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Requests for sign-ins on another device, and a user who decides.
struct BackchannelRequests: Sendable {
    let bench: Bench
    let andy: Account
    let session: BrowserSession

    init(_ engine: any Engine) async throws {
        bench = try await Bench(engine)
        andy = try await bench.user()
        session = try await bench.openSession(of: andy)
    }

    var store: any BackchannelStore { bench.stores.backchannel }
    var now: UnixTime { bench.now }
    var approver: Approver { Approver(session) }

    func request(
        _ name: String = "request", user: UserID? = nil, key: String? = nil,
        purpose: BackchannelAuthentication.Purpose = .tokens, client: String = "till",
        network: String? = "192.0.2.1"
    ) -> BackchannelAuthentication {
        BackchannelAuthentication(
            id: bench.digest(name), clientID: client, userID: user ?? andy.user.id,
            scope: Scope(names: ["openid"]), resources: ["https://api.example.com"], needsSeveralFactors: true,
            keyThumbprint: key, bindingMessage: "Till 4", number: 42, network: network,
            device: "Firefox on Linux", purpose: purpose, sealedPing: purpose == .tokens ? [1, 2] : nil,
            createdAt: now,
            expiresAt: now + 300)
    }

    func add(
        _ name: String = "request", key: String? = nil, purpose: BackchannelAuthentication.Purpose = .tokens
    ) async throws -> BackchannelAuthentication {
        let request = request(name, key: key, purpose: purpose)
        let isShown = try await store.add(request, pendingMax: 5)
        try #require(isShown)
        return request
    }

    func grant() -> Grant { bench.grant(of: andy, client: "till", session: session.id) }

    func poll(
        _ request: BackchannelAuthentication, _ seconds: Int64 = 0, client: String = "till", key: String? = nil
    ) async throws -> DeviceAnswer {
        try await store.poll(
            DevicePoll(id: request.id, clientID: client, keyThumbprint: key), idleSeconds: 1_000, at: now + seconds)
    }
}
