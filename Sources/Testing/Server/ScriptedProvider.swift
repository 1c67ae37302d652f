internal import KeyturnBase
internal import KeyturnWire
package import Model
package import SignIn
package import Synchronization

/// A provider that says what the test wants, after its user came back: the rules of linking are tested with it. What
/// providers really send is tested with real ones.
package final class ScriptedProvider: ConnectionProtocol {
    private let answer: Mutex<Result<FederatedProfile, ConnectionProblem>>
    /// What a refresh brings.
    package let refreshed = Mutex<Result<ProviderTokens, ConnectionProblem>>(
        .success(ProviderTokens(accessToken: "fresh", refreshToken: "rt-2")))
    /// The tokens that came to be refreshed.
    package let refreshes = Mutex<[ProviderTokens]>([])
    /// What became of revocations, and the tokens that came.
    package let revocation = Mutex<ConnectionProblem?>(nil)
    package let revoked = Mutex<[ProviderTokens]>([])

    package init(_ profile: FederatedProfile) {
        answer = Mutex(.success(profile))
    }

    /// What the user comes back with, after a page that leads to the provider.
    package static func handle(_ screen: ScriptedBrowser.Screen) throws -> String {
        let text = screen.header("location") ?? screen.header("refresh") ?? ""
        guard let match = text.firstMatch(of: #/state=([A-Za-z0-9_-]+)/#) else {
            throw TestFailure("nothing leads to the provider: \(screen.status) \(text)")
        }
        return String(match.1)
    }

    package func says(_ profile: FederatedProfile) { answer.withLock { $0 = .success(profile) } }
    package func fails(_ problem: ConnectionProblem) { answer.withLock { $0 = .failure(problem) } }

    package func begin(_ start: ConnectionStart, at connection: Connection) async throws(ConnectionProblem)
        -> ConnectionDeparture
    {
        ConnectionDeparture(
            way: .redirect(
                "https://provider.example/authorize?state=\(start.handle)&forced=\(start.isForced)"
                    + (start.maxAge.map { "&max_age=\($0)" } ?? "")),
            protocolState: "kept")
    }

    package func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        guard state.protocolState == "kept" else { throw ConnectionProblem(.refused, code: "state") }
        return try self.answer.withLock { $0 }.get()
    }

    package func refresh(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem)
        -> ProviderTokens
    {
        refreshes.withLock { $0.append(tokens) }
        return try refreshed.withLock { $0 }.get()
    }

    package func revoke(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem) {
        revoked.withLock { $0.append(tokens) }
        if let problem = revocation.withLock({ $0 }) { throw problem }
    }

    /// A notice of this provider is its identifier, subject and session with blanks between them; `-` is none.
    package func logout(_ token: String, at connection: Connection) async throws(ConnectionProblem) -> ProviderLogout {
        let parts = token.split(separator: " ").map { $0 == "-" ? nil : String($0) }
        guard parts.count == 3, let id = parts[0] else { throw ConnectionProblem(.refused, code: "events") }
        return ProviderLogout(
            issuer: "https://provider.example", subject: parts[1], session: parts[2], id: id,
            expiresAt: UnixTime(rawValue: 4_000_000_000))
    }

    package func issuer(of connection: Connection) -> String? { "https://provider.example" }

    /// The token of this provider is the nonce alone.
    package func verify(_ token: NativeIDToken, at connection: Connection) async throws(ConnectionProblem)
        -> FederatedProfile
    {
        guard token.idToken.exposed() == token.nonce else { throw ConnectionProblem(.refused, code: "nonce") }
        return try answer.withLock { $0 }.get()
    }
}

extension FederatedProfile {
    /// The user of a test at `https://provider.example`.
    package static func person(
        _ subject: String = "248289761001", email: String? = "jane@provider.example", trust: EmailTrust = .trusted,
        phone: String? = nil, groups: [String]? = nil
    ) -> FederatedProfile {
        FederatedProfile(
            issuer: "https://provider.example", subject: subject, email: email, emailTrust: trust, phone: phone,
            claims: ["name": "Jane Doe"], groups: groups)
    }
}

extension Connection {
    /// A connection whose provider is the test's.
    package static func scripted(_ id: String = "acme", tenant: String? = nil, domains: [String] = []) -> Connection {
        Connection(
            id: id, tenantID: tenant, name: "Provider \(id)", domains: domains,
            settings: .openID(OpenIDConnectionSettings(issuer: "https://provider.example", clientID: "client")),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
    }
}
