import Authority
import HTTPTypes
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@testable import Web

/// Operators of the console, for tests.
extension TestServer {
    /// A password and an authenticator app.
    static let strongMethods = ["pwd", "totp", AuthenticationMethod.severalFactors]

    /// A session of the person, who signed in so many seconds ago.
    func sessionCookie(
        methods: [String] = TestServer.strongMethods, ago seconds: Int64 = 0
    ) async throws -> Secret {
        let account = try #require(try await services.stores.users.account(TestServer.subject))
        let facts = AuthenticationFacts(
            time: UnixTime(rawValue: services.ambient.now().rawValue - seconds), methods: methods,
            contextClass: AuthenticationFacts.severalFactorsClass)
        let opened = try await services.signIn.openSession(
            for: account.user, facts, replacing: nil, from: .unknown, endsAt: nil)
        return try #require(opened).1
    }

    /// Gives the person a role.
    func makeOperator(_ role: ConsoleRole?, _ user: UserID = TestServer.subject) async throws {
        _ = try await services.stores.consoleOperators.set(
            role, of: user, by: "test", keepingOwner: false, at: services.ambient.now())
    }

    /// The cookie of a session with a second factor, of an operator.
    func operatorCookie(_ role: ConsoleRole, _ user: UserID = TestServer.subject) async throws -> Secret {
        try await makeOperator(role, user)
        let account = try #require(try await services.stores.users.account(user))
        let facts = AuthenticationFacts(
            time: services.ambient.now(), methods: ["pwd", "totp", AuthenticationMethod.severalFactors],
            contextClass: AuthenticationFacts.severalFactorsClass)
        let opened = try await services.signIn.openSession(
            for: account.user, facts, replacing: nil, from: .unknown, endsAt: nil)
        return try #require(opened).1
    }

    /// A page of the console.
    func console(_ path: String, _ cookie: Secret) async throws -> EndpointAnswer {
        try await send(
            "GET", path, headers: [("Cookie", "keyturn-session=\(cookie.exposed())"), ("Accept-Language", "en")],
            body: nil)
    }
}

/// An operator who sends forms of the console.
struct OperatorVisit {
    let server: TestServer
    let cookie: Secret

    /// Sends a form with the mark that its page would have.
    func post(_ path: String, _ fields: KeyValuePairs<String, String>) async throws -> EndpointAnswer {
        var form = FormParameters()
        for (name, value) in fields { form.append(name, value) }
        return try await post(path, form)
    }

    func post(_ path: String, _ fields: FormParameters) async throws -> EndpointAnswer {
        let browser = "browser-of-the-operator"
        let session = try await server.services.signIn.session(of: cookie)?.0.id
        var form = fields
        form.append(
            "csrf", CrossSiteGuard(server.secrets).token(browser: browser, session: session, transaction: path))
        return try await server.send(
            "POST", path,
            headers: [
                ("Cookie", "keyturn-session=\(cookie.exposed()); keyturn-browser=\(browser)"),
                ("Content-Type", "application/x-www-form-urlencoded"), ("Accept-Language", "en"),
            ], body: form.encoded)
    }
}

extension TestServer {
    func operatorVisit(_ role: ConsoleRole) async throws -> OperatorVisit {
        OperatorVisit(server: self, cookie: try await operatorCookie(role))
    }
}
