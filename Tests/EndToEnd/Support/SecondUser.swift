import Identity
import Keyturn
import KeyturnBase
import ServerTesting
import Model
import SignIn

extension TestServer {
    /// The second user of a device that two people share.
    static let secondUsername = "bea@example.com"
    static let secondPassword = "another-horse-battery"
    static let secondSubject = UserID(rawValue: "22222222-2222-4222-8222-222222222222")

    /// Creates the second user, beside the one that every test server has.
    func addSecondUser() async throws {
        let claims: [String: JSONValue] = [
            "name": "Bea Lund", "email": .string(Self.secondUsername), "email_verified": true,
        ]
        let user = User(id: Self.secondSubject, claims: claims, createdAt: clock.now, updatedAt: clock.now)
        guard let identifier = Identifier(loginID: Self.secondUsername) else { throw TestFailure("an email address") }
        let hash = try await services.passwords.hash(Secret(Self.secondPassword))
        try await services.stores.users.create(
            Account(user: user, identifiers: [identifier: .verified], passwordHash: hash))
    }

    /// Whom the server takes the bearer of `token` for; `nil`: the token is not good.
    func subject(of token: String) async throws -> String? {
        let answer = try await get("/oauth2/userinfo", token: token)
        return answer.status == 200 ? answer.json["sub"]?.stringValue : nil
    }

    /// The clients that still have sessions of `user`.
    func liveClients(of user: UserID = TestServer.subject) async throws -> [String] {
        try await services.stores.grants.grants(of: user, limit: 20, at: clock.now).map(\.clientID)
    }
}

/// The one browser of a device, at which two people sit in turn. It keeps its cookies.
actor SharedBrowser: BrowserAgent {
    private let browser: ScriptedBrowser
    private var person: PersonAtBrowser

    init(_ server: TestServer) {
        browser = server.browser()
        person = PersonAtBrowser(browser: browser)
    }

    /// The second user sits down.
    func seatSecondUser() {
        person = PersonAtBrowser(
            browser: browser, username: TestServer.secondUsername, password: TestServer.secondPassword)
    }

    /// The cookies are deleted.
    func forgetEverything() {
        browser.cookieJar = [:]
    }

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        try await person.prepare(redirectURI: redirectURI)
    }
}

/// Brings requests to the server, and keeps the answer of one refresh until it is told to hand it over.
actor HeldTransport: HTTPTransport {
    private let inner: DatedTransport
    private var isArmed = false
    private var held: CheckedContinuation<Void, Never>?
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ clock: VirtualClock) {
        inner = DatedTransport(clock)
    }

    /// The next refresh is held.
    func arm() { isArmed = true }

    /// Returns once a refresh is held.
    func untilHeld() async {
        if held == nil { await withCheckedContinuation { waiting = $0 } }
    }

    func release() {
        held?.resume()
        held = nil
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let response = try await inner.send(request)
        guard isArmed, request.url.hasSuffix("/oauth2/token") else { return response }
        isArmed = false
        await withCheckedContinuation { continuation in
            held = continuation
            waiting?.resume()
            waiting = nil
        }
        return response
    }
}
