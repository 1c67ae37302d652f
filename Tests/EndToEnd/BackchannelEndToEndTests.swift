import Identity
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import Keyturn

@Suite("End to end: sign-ins on another device, with our SDK at our server")
struct BackchannelEndToEndTests {
    private static let till = TestClients.make(
        "till", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
    ) { $0.grantTypes = ["authorization_code", "refresh_token", GrantType.ciba.rawValue] }
    private static let app = TestClients.make(
        "app", method: "none", secret: nil, firstParty: true, native: true
    ) { $0.redirectURIs = ["http://127.0.0.1/callback"] }
    private static let strangers = TestClients.make("strangers", method: "none", secret: nil, native: true) {
        $0.redirectURIs = ["http://127.0.0.1/callback"]
    }

    /// Time passes, and something happens once, when the client sleeps.
    private final class Nap: PollSleep {
        let clock: ServerTesting.VirtualClock
        private let body: @Sendable () async throws -> Void
        private let count = Mutex(0)

        init(_ clock: ServerTesting.VirtualClock, _ body: @escaping @Sendable () async throws -> Void = {}) {
            self.clock = clock
            self.body = body
        }

        var naps: Int { count.withLock { $0 } }

        func seconds(_ seconds: Int64) async -> Bool {
            clock.advance(seconds)
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { try? await body() }
            return true
        }
    }

    /// Loses the first answer that holds tokens.
    private final class LossyTransport: HTTPTransport {
        private let inner: DatedTransport
        private let isLost = Atomic(false)

        init(_ inner: DatedTransport) { self.inner = inner }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            let response = try await inner.send(request)
            guard request.url.hasSuffix("/oauth2/token"), response.status == 200,
                !isLost.exchange(true, ordering: .sequentiallyConsistent)
            else { return response }
            throw AuthError(.unavailable, "the answer was lost")
        }
    }

    private static func service(_ server: TestServer, secret: String? = TestClients.webSecret) -> Service {
        .keyturn(issuer: server.issuer, clientID: "till", clientSecret: secret)
    }

    private static func client(_ server: TestServer, _ sleep: any PollSleep, loses: Bool = false) -> BackchannelSignIn {
        let dated = DatedTransport(server.clock)
        return BackchannelSignIn(
            service(server), transport: loses ? LossyTransport(dated) : dated, ambient: server.clock.ambient,
            sleep: sleep)
    }

    private static func signedIn(
        _ server: TestServer, _ client: String = "app", binding: Service.Binding = .refreshToken
    ) async throws -> Keyturn {
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: client, binding: binding), storage: .memory,
            browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        _ = try await auth.authorize(redirectURI: "http://127.0.0.1:49152/callback")
        return auth
    }

    @Test(arguments: [Service.Binding.none, .refreshToken, .allTokens])
    func `an app approves with the number, the answer is lost, and the till gets its tokens`(
        _ binding: Service.Binding
    ) async throws {
        let server = try await TestServer.start(clients: [Self.till, Self.app])
        server.clock.advance(11)
        let auth = try await Self.signedIn(server, binding: binding)
        let number = Mutex<Int?>(nil)
        let nap = Nap(server.clock) {
            let waiting = try await auth.approvals.list()
            guard let first = waiting.first, let typed = number.withLock({ $0 }) else { return }
            try await auth.approvals.approve(first, number: typed)
        }
        let till = Self.client(server, nap, loses: true)
        let waiting = try await till.start(
            BackchannelSignInRequest(loginHint: TestServer.username, bindingMessage: "Till 4"))
        let listed = try await auth.approvals.list()
        #expect(listed.map(\.bindingMessage) == ["Till 4"] && listed.map(\.clientName) == ["Client till"])
        #expect(listed.first?.purpose == .tokens && listed.first?.scope.contains("openid") == true)
        number.withLock { $0 = waiting.number }
        let result = try await till.result(of: waiting)
        #expect(result.idToken.subject == TestServer.subject.rawValue && result.tokens.refreshToken != nil)
        #expect(nap.naps == 2, "the lost answer was asked for again")
        #expect(try await auth.approvals.list().isEmpty)
        await server.stop()
    }

    @Test func `a wrong number, a refusal and “This was not me” end the sign-in, each with its code`() async throws {
        let server = try await TestServer.start(clients: [Self.till, Self.app])
        server.clock.advance(11)
        let auth = try await Self.signedIn(server)
        let till = Self.client(server, Nap(server.clock))
        for action in 0..<3 {
            let waiting = try await till.start(BackchannelSignInRequest(loginHint: TestServer.username))
            let first = try #require(try await auth.approvals.list().first)
            switch action {
            case 0:
                await #expect(throws: AuthError(.approvalWrongNumber, "")) {
                    try await auth.approvals.approve(first, number: waiting.number == 42 ? 43 : 42)
                }
                await #expect(throws: AuthError(.approvalTooLate, "")) {
                    try await auth.approvals.approve(first, number: waiting.number ?? 0)
                }
            case 1: try await auth.approvals.deny(first)
            default: try await auth.approvals.wasNotMe(first)
            }
            await #expect(throws: AuthError(.cancelled, "")) { try await till.result(of: waiting) }
        }
        _ = try await till.start(BackchannelSignInRequest(loginHint: TestServer.username))
        #expect(try await auth.approvals.list().isEmpty, "blocked for an hour")
        await server.stop()
    }

    @Test func `nothing is decided until the end, and a request for no user or for two is refused`() async throws {
        let server = try await TestServer.start(clients: [Self.till])
        server.clock.advance(11)
        let till = Self.client(server, Nap(server.clock))
        var request = BackchannelSignInRequest(loginHint: TestServer.username)
        request.requestedExpirySeconds = 30
        let waiting = try await till.start(request)
        await #expect(throws: AuthError(.backchannelExpired, "")) { try await till.result(of: waiting) }
        request.idTokenHint = "x"
        let ofTwo = request
        await #expect(throws: AuthError(.misconfigured, "")) { _ = try await till.start(ofTwo) }
        let wrong = BackchannelSignInRequest(loginHint: TestServer.username, bindingMessage: "a\nb")
        let error = await #expect(throws: AuthError.self) { _ = try await till.start(wrong) }
        #expect(error?.server?.code == "invalid_binding_message")
        await server.stop()
    }

    @Test func `a sign-in of long ago decides nothing, and the answer says what is missing`() async throws {
        let server = try await TestServer.start(clients: [Self.till, Self.app])
        server.clock.advance(11)
        let auth = try await Self.signedIn(server)
        let till = Self.client(server, Nap(server.clock))
        server.clock.advance(Model.Limits.sensitiveSeconds)
        let waiting = try await till.start(BackchannelSignInRequest(loginHint: TestServer.username))
        let first = try #require(try await auth.approvals.list().first)
        let error = await #expect(throws: AuthError.self) {
            try await auth.approvals.approve(first, number: waiting.number ?? 0)
        }
        #expect(error?.code == .approvalNeedsStepUp && error?.server?.status == 401)
        #expect(try await auth.approvals.list().count == 1, "nothing was decided")
        await server.stop()
    }

    @Test func `an app of others reads and decides nothing`() async throws {
        let server = try await TestServer.start(clients: [Self.till, Self.strangers])
        server.clock.advance(11)
        let auth = try await Self.signedIn(server, "strangers")
        let error = await #expect(throws: AuthError.self) { try await auth.approvals.list() }
        #expect(error?.server?.code == "insufficient_scope")
        let elsewhere = Keyturn(.descope(projectID: "P1"), storage: .memory)
        await #expect(throws: AuthError(.unsupported, "")) { try await elsewhere.approvals.list() }
        await server.stop()
    }
}
