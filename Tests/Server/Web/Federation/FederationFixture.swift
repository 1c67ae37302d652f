import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn

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

    static func handle(_ screen: ScriptedBrowser.Screen) throws -> String { try ScriptedProvider.handle(screen) }

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

    /// Gives the user a role in the console, at a server that has an owner.
    func makeOperator(_ user: UserID, _ role: ConsoleRole = .viewer) async throws {
        _ = try await server.services.stores.consoleOperators.set(
            role, of: user, by: "test", keepingOwner: false, at: server.clock.now)
    }

    func identities(of user: UserID) async throws -> [FederatedIdentity] {
        try await server.services.stores.identities.identities(of: user)
    }

    func holder(_ subject: String = "248289761001", at connection: String = "acme") async throws -> UserID? {
        try await server.services.stores.identities.identity(
            FederatedProfile.person(subject).key(at: connection))?.userID
    }
}
