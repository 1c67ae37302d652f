import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization

/// A provider that says what the test wants, after its user came back: the rules of linking are tested with it. What
/// providers really send is tested with real ones.
final class ScriptedProvider: ConnectionProtocol {
    private let answer: Mutex<Result<FederatedProfile, ConnectionProblem>>
    /// What a refresh brings.
    let refreshed = Mutex<Result<ProviderTokens, ConnectionProblem>>(
        .success(ProviderTokens(accessToken: "fresh", refreshToken: "rt-2")))
    /// The tokens that came to be refreshed.
    let refreshes = Mutex<[ProviderTokens]>([])
    /// What became of revocations, and the tokens that came.
    let revocation = Mutex<ConnectionProblem?>(nil)
    let revoked = Mutex<[ProviderTokens]>([])

    init(_ profile: FederatedProfile) {
        answer = Mutex(.success(profile))
    }

    func says(_ profile: FederatedProfile) { answer.withLock { $0 = .success(profile) } }
    func fails(_ problem: ConnectionProblem) { answer.withLock { $0 = .failure(problem) } }

    func begin(_ start: ConnectionStart, at connection: Connection) async throws(ConnectionProblem)
        -> ConnectionDeparture
    {
        ConnectionDeparture(
            way: .redirect("https://provider.example/authorize?state=\(start.handle)&forced=\(start.isForced)"),
            protocolState: "kept")
    }

    func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        guard state.protocolState == "kept" else { throw ConnectionProblem(.refused, code: "state") }
        return try self.answer.withLock { $0 }.get()
    }

    func refresh(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem)
        -> ProviderTokens
    {
        refreshes.withLock { $0.append(tokens) }
        return try refreshed.withLock { $0 }.get()
    }

    func revoke(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem) {
        revoked.withLock { $0.append(tokens) }
        if let problem = revocation.withLock({ $0 }) { throw problem }
    }

    /// A notice of this provider is its identifier, subject and session with blanks between them; `-` is none.
    func logout(_ token: String, at connection: Connection) async throws(ConnectionProblem) -> ProviderLogout {
        let parts = token.split(separator: " ").map { $0 == "-" ? nil : String($0) }
        guard parts.count == 3, let id = parts[0] else { throw ConnectionProblem(.refused, code: "events") }
        return ProviderLogout(
            issuer: "https://provider.example", subject: parts[1], session: parts[2], id: id,
            expiresAt: UnixTime(rawValue: 4_000_000_000))
    }

    func issuer(of connection: Connection) -> String? { "https://provider.example" }

    /// The token of this provider is the nonce alone.
    func verify(_ token: NativeIDToken, at connection: Connection) async throws(ConnectionProblem) -> FederatedProfile {
        guard token.idToken.exposed() == token.nonce else { throw ConnectionProblem(.refused, code: "nonce") }
        return try answer.withLock { $0 }.get()
    }
}

extension FederatedProfile {
    /// The user of a test at `https://provider.example`.
    static func person(
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
    static func scripted(_ id: String = "acme", tenant: String? = nil, domains: [String] = []) -> Connection {
        Connection(
            id: id, tenantID: tenant, name: "Provider \(id)", domains: domains,
            settings: .openID(OpenIDConnectionSettings(issuer: "https://provider.example", clientID: "client")),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
    }
}

/// A server with scripted providers, and the ways of a user through them.
struct FederationFixture {
    let server: TestServer
    let provider: ScriptedProvider

    static func start(
        _ profile: FederatedProfile = .person(), _ connections: [Connection] = [.scripted()],
        tenants: [Tenant] = [], issuer: String? = nil,
        project: (String) -> Project = { Project(id: "test", name: "Test", issuer: $0) },
        onStatement: (@Sendable (String) -> Void)? = nil
    ) async throws -> FederationFixture {
        let provider = ScriptedProvider(profile)
        let server = try await TestServer.start(
            issuer: issuer, project: project,
            methodSettings: MethodSettings(approvedDomains: ["app.example"]), connections: connections,
            protocols: ConnectionProtocols(openID: provider), onStatement: onStatement)
        for tenant in tenants { try await server.services.stores.tenants.create(tenant) }
        try await server.services.directory.reload()
        return FederationFixture(server: server, provider: provider)
    }

    /// Leaves for the provider from the first page.
    ///
    /// - Returns: the handle that comes back.
    func leave(_ browser: ScriptedBrowser, to connection: String = "acme", proof: PKCE? = nil) async throws -> String {
        let page = try await server.loginPage(browser, proof: proof)
        let transaction = server.transaction(of: page)
        let gone = try await browser.open("/federation/\(connection)/start?transaction=\(transaction)")
        return try Self.handle(gone)
    }

    static func handle(_ screen: ScriptedBrowser.Screen) throws -> String {
        let text = screen.header("location") ?? screen.header("refresh") ?? ""
        guard let match = text.firstMatch(of: #/state=([A-Za-z0-9_-]+)/#) else {
            throw TestFailure("nothing leads to the provider: \(screen.status) \(text)")
        }
        return String(match.1)
    }

    func comeBack(_ browser: ScriptedBrowser, _ handle: String, to connection: String = "acme") async throws
        -> ScriptedBrowser.Screen
    {
        try await browser.open("/federation/\(connection)/callback?state=\(handle)&code=code")
    }

    /// Leaves and comes back.
    func pass(_ browser: ScriptedBrowser, at connection: String = "acme") async throws -> ScriptedBrowser.Screen {
        try await comeBack(browser, try await leave(browser, to: connection), to: connection)
    }

    /// Whether the browser ended at the app, with a code.
    static func hasCode(_ screen: ScriptedBrowser.Screen) throws -> Bool {
        guard let answer = try TestServer.callback(screen), case .code = answer.outcome else { return false }
        return true
    }

    func identities(of user: UserID) async throws -> [FederatedIdentity] {
        try await server.services.stores.identities.identities(of: user)
    }

    func holder(_ subject: String = "248289761001", at connection: String = "acme") async throws -> UserID? {
        try await server.services.stores.identities.identity(
            FederatedProfile.person(subject).key(at: connection))?.userID
    }
}
