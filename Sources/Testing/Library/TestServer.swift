internal import Delivery
internal import Foundation
internal import Identity
public import Keyturn
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model
internal import OAuth
internal import ServerTesting
internal import SignIn

/// A whole Keyturn server in the test's process: real sockets, real pages, a database in memory, and a clock that the
/// test holds.
///
/// ```swift
/// try await withTestServer { server in
///     let auth = server.makeKeyturn(signingIn: "andy@example.com")
///     try await auth.authorize(redirectURI: "http://127.0.0.1/callback")
///     await server.clock.advance(by: .seconds(3_600))
///     let token = try await auth.accessToken()  // renewed
/// }
/// ```
///
/// Each server is alone: tests with one each can run at the same time. Rules and limits are the program's, with two
/// exceptions: hashing a password takes next to no time, and messages wait in ``mailbox`` instead of being sent.
public final class TestServer: Sendable {
    /// The server's clock.
    public let clock: TestClock
    /// What users were sent.
    public let mailbox: Mailbox
    /// What lies between the containers of ``makeKeyturn(signingIn:client:binding:)`` and the server.
    public let network: TestNetwork
    /// The users that the server was started with.
    public let users: [TestUser]
    /// The clients that the server was started with; ``register(_:)`` adds more.
    public let clients: [TestClient]
    let inner: ServerTesting.TestServer

    /// Starts a server and waits until it listens. Call ``stop()`` at the end, or use
    /// ``withTestServer(clients:users:clock:_:)``.
    ///
    /// - Parameters:
    ///   - clients: at least one; the first is the one that is meant where none is named.
    ///   - users: who can sign in. More can sign up.
    ///   - clock: a clock to share with other servers; `nil`: one of its own.
    /// - Throws: ``TestProblem`` if a client or a user makes no sense; an error of the system if it cannot listen.
    public static func start(
        clients: [TestClient] = [.app], users: [TestUser] = [.andy], clock: TestClock? = nil
    ) async throws -> TestServer {
        guard !clients.isEmpty else { throw TestProblem("a server needs a client: pass clients: [.app]") }
        let clock = clock ?? TestClock()
        let contents = TestContents(clients: try clients.map { try $0.registered() }) { services in
            var accounts: [Account] = []
            for user in users { accounts.append(try await user.account(services)) }
            return accounts
        }
        let inner = try await ServerTesting.TestServer.start(
            clock: clock.virtual,
            project: { Project(id: projectID, name: "Test", issuer: $0, resources: nil) },
            channels: Set(DeliveryMethod.allCases), relyingParties: [try relyingParty()], contents: contents)
        return try TestServer(inner, clock, users, clients)
    }

    private static let projectID = "test"
    /// No authenticator takes an address of digits for a domain.
    private static let passkeyOrigin = "https://app.example"

    private static func relyingParty() throws -> RelyingParty {
        RelyingParty(policy: try WebAuthnPolicy(rpID: "app.example", rpName: "Test", origins: [passkeyOrigin]))
    }

    private init(
        _ inner: ServerTesting.TestServer, _ clock: TestClock, _ users: [TestUser], _ clients: [TestClient]
    ) throws {
        self.inner = inner
        self.clock = clock
        self.users = users
        self.clients = clients
        mailbox = Mailbox(
            outbox: StoredOutbox(
                queue: inner.services.messages,
                renderer: try MessageRenderer(projectName: "Test", issuer: inner.issuer)))
        network = TestNetwork()
        let upkeep = Upkeep(inner.services) { _ in }
        clock.onAdvance {
            await upkeep.maintainKeys()
            await upkeep.removeExpired()
        }
    }

    /// A server that no test holds any more stops by itself.
    deinit {
        // Unstructured: a deinitialiser cannot wait.
        Task { [inner] in await inner.stop() }
    }

    /// Its issuer, such as `http://127.0.0.1:49152`; also the address that it listens on.
    public var issuer: String { inner.issuer }

    /// Stops: accepts no new connections, and finishes what is under way. Again does nothing.
    public func stop() async {
        await inner.stop()
    }

    /// The first client's ``service(for:binding:)``.
    public var service: Service { service(for: clients[0]) }

    /// What `Keyturn(…)` takes, for one of the clients. Passkeys are those of `https://app.example`.
    ///
    /// - Parameters:
    ///   - client: one of ``clients``.
    ///   - binding: what is bound to a key of the device; see `Service.Binding`.
    public func service(for client: TestClient, binding: Service.Binding = .refreshToken) -> Service {
        .keyturn(
            issuer: issuer, clientID: client.id, projectID: Self.projectID, clientSecret: client.secret,
            binding: binding, passkeyOrigin: Self.passkeyOrigin)
    }

    /// Registers another client, for instance one whose addresses are known only now, or replaces one.
    ///
    /// - Throws: ``TestProblem`` if the client makes no sense.
    public func register(_ client: TestClient) async throws {
        try await inner.services.stores.clients.put(try client.registered(), at: clock.now)
        try await inner.services.clients.reload()
    }

    /// A container of an app, ready to use: the session in memory, the server's clock, ``network`` in between, a
    /// ``TestBrowser`` that signs `email` in, and a ``TestPasskeys`` of its own.
    ///
    /// - Parameters:
    ///   - email: the user who is in front of the browser; `nil`: the first of ``users``.
    ///   - client: `nil`: the first of ``clients``.
    ///   - binding: what is bound to a key of the device.
    public func makeKeyturn(
        signingIn email: String? = nil, client: TestClient? = nil, binding: Service.Binding = .refreshToken
    ) -> Keyturn {
        Keyturn(
            service(for: client ?? clients[0], binding: binding), storage: .memory,
            browser: makeBrowser(signingIn: email), authenticator: TestPasskeys(), transport: network,
            ambient: clock.ambient)
    }

    /// A browser without a window, and the user in front of it. It keeps cookies: the second sign-in in one browser asks
    /// no questions.
    ///
    /// - Parameter email: the user's address; `nil`: the first of ``users``.
    public func makeBrowser(signingIn email: String? = nil) -> TestBrowser {
        TestBrowser(self, email: email ?? users.first?.email ?? "")
    }

    /// An access token for tests of a backend: the user signs in on the server's pages, and the client redeems the code.
    /// It expires by ``clock``.
    ///
    /// - Parameters:
    ///   - email: the user's address; `nil`: the first of ``users``.
    ///   - client: who asks for it; `nil`: the first of ``clients``.
    ///   - scope: what to ask for, separated by spaces; `nil`: what the client may have.
    ///   - audience: the address of your API (RFC 8707), which becomes `aud`; `nil`: the issuer.
    /// - Throws: ``TestProblem`` with what the server said instead.
    public func accessToken(
        for email: String? = nil, client: TestClient? = nil, scope: String? = nil, audience: String? = nil
    ) async throws -> String {
        let client = client ?? clients[0]
        guard let redirectURI = client.redirectURIs.first else {
            throw TestProblem("the client \(client.id) has no redirect URI, so that no user can sign in there")
        }
        let browser = makeBrowser(signingIn: email)
        let auth = Keyturn(
            service(for: client, binding: .none), storage: .memory, browser: browser, ambient: clock.ambient)
        var options = SignInOptions(redirectURI: redirectURI)
        options.scope = Scope(scope ?? client.scope)
        options.resource = audience.map { [$0] } ?? []
        do {
            _ = try await auth.authorize(options)
            return try await auth.accessToken(minimumSeconds: 0)
        } catch {
            throw TestProblem(
                "no access token: \(error.code.rawValue), \(error.detail)"
                    + (error.server?.description.map { ", \($0)" } ?? "") + (browser.problem.map { "; \($0)" } ?? ""))
        }
    }

    /// Ends every session of a user, as an operator does: apps learn of it at their next renewal, and clients with a
    /// ``TestClient/backchannelLogoutURI`` have been told when this returns.
    ///
    /// - Throws: ``TestProblem`` if there is no such user.
    public func endSessions(of email: String) async throws {
        let services = inner.services
        guard let identifier = Identifier(loginID: email),
            let account = try await services.stores.users.account(identifier)
        else { throw TestProblem("there is no user \(email)") }
        let now = clock.now
        _ = try await services.stores.grants.endEverything(of: account.user.id, reason: .administrator, at: now)
        let sender = LogoutNoticeSender(
            notices: services.logoutNotices, transport: BackchannelLogout(issuer: issuer), ambient: clock.ambient,
            report: { _ in })
        _ = await sender.deliverDue()
    }
}

/// Starts a server, runs `body`, and stops the server, however `body` ends.
///
/// - Parameters:
///   - clients: as in ``TestServer/start(clients:users:clock:)``.
///   - users: who can sign in.
///   - clock: a clock to share; `nil`: one of its own.
///   - body: the test.
/// - Returns: what `body` returns.
/// - Throws: what starting throws, and what `body` throws.
public func withTestServer<Result: Sendable>(
    clients: [TestClient] = [.app], users: [TestUser] = [.andy], clock: TestClock? = nil,
    _ body: (TestServer) async throws -> Result
) async throws -> Result {
    let server = try await TestServer.start(clients: clients, users: users, clock: clock)
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
