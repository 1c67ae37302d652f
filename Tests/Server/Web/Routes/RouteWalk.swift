import Authority
import Foundation
import HTTPTypes
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

@testable import Web

/// A server with every part switched on, and a credential of every kind that its routes demand.
struct RouteWalk: Sendable {
    let server: TestServer
    /// Another one, whose tokens are good there.
    let elsewhere: TestServer
    /// Signed in.
    let browser: ScriptedBrowser
    /// Sealed for ``browser``: a sign-in that waits for a link.
    let signInTransaction: String
    /// Sealed for ``browser``: a device that asks to be let in.
    let device: String
    let logout: String
    /// Of an operator of the console: with a second factor, and with the password alone.
    let operatorCookies: (strong: Secret, weak: Secret)

    static let initialToken = "initial-token-of-the-test"
    static let otherMark = String(repeating: "x", count: 22)
    private static let sessionCookie = "keyturn-session"
    private static let browserCookie = "keyturn-browser"

    static func start() async throws -> RouteWalk {
        let clock = VirtualClock()
        let server = try await TestServer.start(
            clients: [TestServer.television, TestServer.receiver("receiver")], clock: clock, trustsForwarding: true,
            relyingParties: [Site.shop, Site.bank],
            registration: RegistrationSettings(initialAccessTokens: [SecretDigest(of: Secret(initialToken))]),
            outbox: NoOutbox(),
            demonstration: Demonstration(username: "a", password: "b", clientID: "tool", commands: []),
            movableClock: DevelopmentClock(clock.ambient))
        let browser = server.browser()
        let waiting = try await server.askForLink(browser)
        _ = try await server.visit("/settings", in: browser)
        let question = try await server.question(try await server.device().userCode, in: browser)
        let logout = try await browser.open("/logout")
        return RouteWalk(
            server: server, elsewhere: try await TestServer.start(), browser: browser,
            signInTransaction: server.transaction(of: waiting), device: server.transaction(of: question),
            logout: try #require(logout.hidden("request").first),
            operatorCookies: (
                try await cookie(at: server, ["pwd", "totp", AuthenticationMethod.severalFactors]),
                try await cookie(at: server, ["pwd"])
            ))
    }

    /// A session of the person, opened with these methods.
    private static func cookie(at server: TestServer, _ methods: [String]) async throws -> Secret {
        let user = try #require(try await server.services.stores.users.account(TestServer.subject)?.user)
        let facts = AuthenticationFacts(
            time: server.clock.ambient.now(), methods: methods, contextClass: AuthenticationFacts.passwordClass)
        let opened = try await server.services.signIn.openSession(
            for: user, facts, replacing: nil, from: .unknown, endsAt: nil)
        return try #require(opened).1
    }

    func stop() async {
        await server.stop()
        await elsewhere.stop()
    }

    /// A request of a row: what it demands is there up to the last of `demands`, and that has a flaw.
    ///
    /// - Parameters:
    ///   - flaw: `nil`: it has none.
    ///   - prepare: called before the request is sent.
    func answer(
        _ row: Route, _ demands: ArraySlice<Demand>, _ flaw: Demand.Flaw?, prepare: () async throws -> Void = {}
    ) async throws -> EndpointAnswer {
        var request = RouteRequest(row, mark: try #require(browser.cookieJar[Self.browserCookie]))
        for (index, demand) in zip(demands.indices, demands) {
            try await add(demand.kind, index == demands.endIndex - 1 ? flaw : nil, to: &request)
        }
        try await prepare()
        return try await request.send(to: server)
    }

    private func add(_ kind: Demand.Kind, _ flaw: Demand.Flaw?, to request: inout RouteRequest) async throws {
        switch kind {
        case .confidentialClient where flaw == .foreign:
            // A public client's name, which proves nothing.
            request.set("client_id", TestClients.tool.id)
        case .client, .namedClient, .confidentialClient: addClient(flaw, to: &request)
        case .accessToken, .shownAccessToken:
            request.bearer = try await pick(
                flaw, try await server.accessToken(), "not-a-token", try await elsewhere.accessToken())
        case .transaction:
            let sealed = try sealedTransaction(kind: flaw == .foreign ? "sign-in" : "authorization")
            request.set("transaction", flaw == .missing ? nil : flaw == .wrong ? "not-a-transaction" : sealed)
            request.subject = sealed
        case .signInTransaction:
            if flaw == .foreign { request.mark = Self.otherMark }
            request.set("transaction", flaw == .missing ? nil : flaw == .wrong ? "not-a-sign-in" : signInTransaction)
            request.subject = signInTransaction
        case .logout:
            let foreign = try sealedTransaction(kind: "authorization")
            request.set("request", choose(flaw, logout, "not-a-sign-out", foreign))
            request.subject = logout
        case .device:
            if flaw == .foreign { request.mark = Self.otherMark }
            let name = request.row.method == .get ? "request" : "transaction"
            request.set(name, flaw == .missing ? nil : flaw == .wrong ? "not-a-device" : device)
            request.subject = device
        case .sameSite: addMark(flaw, to: &request)
        case .session: try await addSession(flaw, to: &request)
        // The clock says how long ago the sign-in was.
        case .recentSignIn: break
        case .consoleRole:
            _ = try await server.services.stores.consoleOperators.set(
                flaw == nil ? .owner : nil, of: TestServer.subject, by: "test", keepingOwner: false,
                at: server.clock.ambient.now())
            if flaw == nil { try await addSession(operatorCookies.strong, to: &request) }
        case .severalFactors:
            try await addSession(flaw == nil ? operatorCookies.strong : operatorCookies.weak, to: &request)
        case .thisMachine:
            switch flaw {
            case .missing: request.headers.append(("X-Forwarded-For", "203.0.113.9"))
            case .wrong: request.headers.append(("Sec-Fetch-Site", "cross-site"))
            case .foreign: request.headers.append(("Origin", "http://rebound.example"))
            case nil: request.headers.append(("Origin", server.issuer))
            }
        case .operator:
            request.headers.append(("X-Forwarded-For", "203.0.113.9"))
            request.bearer = try await pick(
                flaw, TestServer.managementKey, "not-a-key", try await server.accessToken())
        case .project:
            request.bearer = flaw == .missing ? nil : flaw == .wrong ? ":" : flaw == .foreign ? "other" : "test"
        case .refreshToken:
            let jwt = "eyJhbGciOiJub25lIn0.eyJhIjoxfQ.AAAA"
            request.second = try await pick(flaw, try await session(of: server), jwt, try await session(of: elsewhere))
        case .accessKey:
            request.second = try await pick(flaw, try await accessKey(), "not-a-key", TestServer.managementKey)
        case .provisioningToken:
            request.bearer = try await pick(
                flaw, try await Directory.of("t1", at: server).token, "not-a-token", TestServer.managementKey)
        case .managementKey, .managementCaller:
            request.second = try await pick(
                flaw, TestServer.managementKey, "not-a-key", try await session(of: server))
        case .signalReceiver:
            request.bearer = try await pick(
                flaw, try await server.ownToken(of: "receiver"), "not-a-token", try await server.accessToken())
        case .publishableKey:
            request.headers.append(("Origin", "https://shop.example"))
            request.basic = choose(flaw, "pubkey_shop:", "pubkey_nobody:", "pubkey_bank:")
        case .secretKey:
            request.basic = choose(flaw, ":secret_shop-backend", ":secret_nobody", "pubkey_shop:")
        case .initialAccessToken:
            request.bearer = try await pick(flaw, Self.initialToken, "not-a-token", try await register().token)
        case .registrationToken:
            let client = try await register()
            request.query.append("client_id", client.id)
            request.bearer = try await pick(flaw, client.token, "not-a-token", try await register().token)
        }
    }

    private func pick(
        _ flaw: Demand.Flaw?, _ good: @autoclosure () async throws -> String, _ wrong: String,
        _ foreign: @autoclosure () async throws -> String
    ) async rethrows -> String? {
        switch flaw {
        case nil: try await good()
        case .missing: nil
        case .wrong: wrong
        case .foreign: try await foreign()
        }
    }

    private func choose(_ flaw: Demand.Flaw?, _ good: String, _ wrong: String, _ foreign: String) -> String? {
        switch flaw {
        case nil: good
        case .missing: nil
        case .wrong: wrong
        case .foreign: foreign
        }
    }
}

/// Credentials.
extension RouteWalk {
    private func addClient(_ flaw: Demand.Flaw?, to request: inout RouteRequest) {
        guard flaw != .missing else { return }
        request.set("client_id", TestClients.portal.id)
        request.set(
            "client_secret", choose(flaw, TestClients.webSecret, "not-a-secret", "other-secret-other-secret-other"))
    }

    /// The mark of a form: of another session where there is one, else of another browser.
    private func addMark(_ flaw: Demand.Flaw?, to request: inout RouteRequest) {
        let guardian = CrossSiteGuard(server.secrets)
        let isLink = [SignInRoutes.linkPath, SignInRoutes.cancelPath, SignInRoutes.disputePath]
            .contains(request.row.path)
        // The form of a link carries the token of the link, which is empty here.
        let subject = request.subject ?? (isLink ? "" : request.row.path)
        let isOthers = flaw == .foreign
        let session = isOthers && request.session != nil ? SessionID(rawValue: "another") : request.session
        let mark = isOthers && request.session == nil ? Self.otherMark : request.mark
        request.set(
            "csrf",
            flaw == .missing
                ? nil
                : flaw == .wrong ? "AAAA" : guardian.token(browser: mark, session: session, transaction: subject))
    }

    private func addSession(_ cookie: Secret, to request: inout RouteRequest) async throws {
        request.cookies[Self.sessionCookie] = cookie.exposed()
        request.session = try await server.services.signIn.session(of: cookie)?.0.id
    }

    private func addSession(_ flaw: Demand.Flaw?, to request: inout RouteRequest) async throws {
        let own = try #require(browser.cookieJar[Self.sessionCookie])
        switch flaw {
        case nil:
            request.cookies[Self.sessionCookie] = own
            request.session = try await server.services.signIn.session(of: Secret(own))?.0.id
        case .missing: break
        case .wrong: request.cookies[Self.sessionCookie] = "not-a-session"
        case .foreign:
            // It was good, and is over.
            let other = server.browser()
            _ = try await server.visit("/settings", in: other)
            request.cookies[Self.sessionCookie] = other.cookieJar[Self.sessionCookie]
            _ = try await other.submit(try await other.open("/logout"), ["action": "allow"])
        }
    }

    private func sealedTransaction(kind: String) throws -> String {
        server.services.transactions.close(server.services.authorization.transaction(to: "/settings"), kind: kind)
    }

    private func session(of server: TestServer) async throws -> String {
        try #require(try await server.session().refreshJWT).exposed()
    }

    private func accessKey() async throws -> String {
        let answer = try await server.manage("accesskey/create", ["name": "key", "expireTime": 0])
        return try #require(answer.json["cleartext"]?.stringValue, "\(answer.body)")
    }

    private func register() async throws -> (id: String, token: String) {
        let answer = try await server.send(
            "POST", "/oauth2/register",
            headers: [("Content-Type", "application/json"), ("Authorization", "Bearer \(Self.initialToken)")],
            body: RouteRequest.metadata)
        return (
            try #require(answer.json["client_id"]?.stringValue, "\(answer.body)"),
            try #require(answer.json["registration_access_token"]?.stringValue)
        )
    }
}

/// There is one, and nothing is in it.
struct NoOutbox: Outbox {
    func messages() async throws(StoreError) -> [OutboxMessage] { [] }
}
