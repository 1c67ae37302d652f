import Authority
import KeyturnAuthenticator
import Identity
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// The account's own second factor, on the methods' wire.
@Suite("89: a second factor is asked for on every way in of the wire")
struct WireSecondFactorTests {
    private static let name: JSONValue = .string(TestServer.username)
    private static let password: JSONValue = ["loginId": name, "password": .string(TestServer.password)]

    static func start(_ policy: AuthorityPolicy) async throws -> TestServer {
        try await TestServer.start(
            project: { Project(id: "test", name: "Test", issuer: $0, authority: policy) })
    }

    private func verify(
        _ server: TestServer, _ authenticator: TOTPCode, with reference: String?, as login: JSONValue = name
    ) async throws -> EndpointAnswer {
        let code = authenticator.code(at: server.clock.now).exposed()
        return try await server.call(
            "totp/verify", ["loginId": login, "code": .string(code)], refresh: reference)
    }

    @Test func `a password opens no session beside an authenticator, and the code completes the sign-in`() async throws
    {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let refused = try await server.call("password/signin", Self.password)
        #expect(refused.status == 403 && refused.errorCode == "E011003" && refused.missing == "second_factor")
        #expect(refused.refreshJWT == nil && refused.json["sessionJwt"] == nil)
        let reference = try #require(refused.pendingRef)
        let done = try await verify(server, authenticator, with: reference)
        #expect(done.status == 200 && done.methods == ["pwd", "totp", "mfa"])
        #expect(try await server.call("refresh", [:], refresh: done.refreshJWT).status == 200)
        // It counts once, with whatever code.
        server.clock.advance(30)
        let again = try await verify(server, authenticator, with: reference)
        #expect(again.status == 401 && again.errorCode == "E064001")
        await server.stop()
    }

    @Test func `every single factor is refused, and each is completed by the code`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        var answers: [(String, EndpointAnswer)] = []
        answers.append(("otp", try await server.signInByCode(TestServer.username)))
        for path in ["magiclink/signin/email", "password/reset"] {
            _ = try await server.call(path, ["loginId": Self.name])
            let link = try #require(try await server.message(to: TestServer.username).links.first)
            let token = try #require(link.split(separator: "t=").last)
            answers.append((path, try await server.call("magiclink/verify", ["token": .string(String(token))])))
        }
        let started = try await server.call("enchantedlink/signin/email", ["loginId": Self.name])
        let message = try await server.message(to: TestServer.username)
        let numbers = message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init) ?? []
        let right = try #require(numbers.firstIndex { $0 == started.json["linkId"]?.stringValue })
        let token = try #require(message.links[right].split(separator: "t=").last)
        #expect(try await server.call("enchantedlink/verify", ["token": .string(String(token))]).status == 200)
        answers.append(
            (
                "enchantedlink",
                try await server.call(
                    "enchantedlink/pending-session", ["pendingRef": started.json["pendingRef"] ?? .null])
            ))
        let embedded = try await server.manage("user/signin/embeddedlink", ["loginId": Self.name])
        answers.append(
            ("embedded", try await server.call("magiclink/verify", ["token": embedded.json["token"] ?? .null])))
        for (way, answer) in answers {
            #expect(answer.status == 403 && answer.missing == "second_factor" && answer.refreshJWT == nil, "\(way)")
            let done = try await verify(server, authenticator, with: answer.pendingRef)
            #expect(done.status == 200 && done.methods.contains("mfa"), "\(way)")
            server.clock.advance(30)
        }
        await server.stop()
    }

    @Test func `a reference is for its user, its time, and the second factor alone`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let reference = try #require(try await server.call("password/signin", Self.password).pendingRef)
        for path in ["refresh", "logout", "me/tenants"] {
            #expect(try await server.call(path, [:], refresh: reference).status == 401, "\(path)")
        }
        let update: JSONValue = ["loginId": Self.name]
        #expect(try await server.call("totp/update", update, refresh: reference).status == 403, "it has one")
        let password: JSONValue = ["loginId": Self.name, "newPassword": "another-horse-battery"]
        #expect(try await server.call("password/update", password, refresh: reference).status == 401)
        // Another user's code is another user's.
        let other = try await server.call("totp/signup", ["loginId": "bea@example.com"])
        let secret = try #require(TOTPSecret(typed: Secret(other.json["key"]?.stringValue ?? "")))
        let foreign = try await verify(server, TOTPCode(secret), with: reference, as: "bea@example.com")
        #expect(foreign.status == 400 && foreign.refreshJWT == nil)
        // A wrong code spends nothing.
        let wrong = try await server.call("totp/verify", ["loginId": Self.name, "code": "000000"], refresh: reference)
        #expect(wrong.errorCode == "E061102")
        server.clock.advance(Limits.secondFactorSeconds)
        let late = try await verify(server, authenticator, with: reference)
        #expect(late.status == 401 && late.errorCode == "E064001")
        await server.stop()
    }

    @Test func `a sign-out everywhere ends a sign-in that waits`() async throws {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let reference = try #require(try await server.call("password/signin", Self.password).pendingRef)
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(try await verify(server, authenticator, with: reference).status == 401)
        await server.stop()
    }

    @Test func `a passkey completes a sign-in by password`() async throws {
        var app = try await PasskeyMethodTests.App()
        let server = app.server
        #expect(try await server.signUpByCode("bea@example.com").status == 200)
        let authenticator = try await server.giveAuthenticator(to: "bea@example.com")
        let first = try await server.signInByCode("bea@example.com")
        let session = try await verify(server, authenticator, with: first.pendingRef, as: "bea@example.com")
        let started = try await app.start("update", "bea@example.com", refresh: session.refreshJWT)
        #expect(try await app.finish(started, as: "update").status == 200)
        let refused = try await server.signInByCode("bea@example.com")
        let reference = try #require(refused.pendingRef)
        let begun = try await app.start("signin", "bea@example.com", refresh: reference)
        #expect(begun.status == 200 && begun.json["create"] == false)
        let done = try await app.finish(begun, refresh: reference)
        #expect(done.status == 200 && done.methods == ["email", "webauthn", "mfa"])
        await server.stop()
    }

    @Test func `the operator can let one factor stand beside the second one`() async throws {
        let server = try await Self.start(AuthorityPolicy(passwordBesideSecondFactor: true))
        _ = try await server.giveAuthenticator()
        let answer = try await server.call("password/signin", Self.password)
        #expect(answer.status == 200 && answer.methods == ["pwd"])
        await server.stop()
    }

    @Test func `where everybody needs one, it is set up before the session begins`() async throws {
        for policy in [
            AuthorityPolicy(secondFactor: .required),
            AuthorityPolicy(passwordBesideSecondFactor: true, secondFactor: .required),
        ] {
            let server = try await Self.start(policy)
            let refused = try await server.call("password/signin", Self.password)
            #expect(refused.status == 403 && refused.missing == "second_factor_setup" && refused.refreshJWT == nil)
            let reference = try #require(refused.pendingRef)
            let foreign = try await server.call("totp/update", ["loginId": "other@example.com"], refresh: reference)
            #expect(foreign.status == 400)
            let begun = try await server.call("totp/update", ["loginId": Self.name], refresh: reference)
            let secret = try #require(TOTPSecret(typed: Secret(begun.json["key"]?.stringValue ?? "")))
            // Nothing is opened by the set-up alone.
            #expect(try await server.call("password/signin", Self.password).missing == "second_factor_setup")
            let done = try await verify(server, TOTPCode(secret), with: reference)
            #expect(done.status == 200 && done.methods == ["pwd", "totp", "mfa"])
            #expect(try await server.call("password/signin", Self.password).missing == "second_factor")
            // An authenticator alone is one factor.
            server.clock.advance(30)
            let alone = try await verify(server, TOTPCode(secret), with: nil)
            #expect(alone.status == 403 && alone.missing == "second_factor")
            await server.stop()
        }
    }

    @Test func `roles and tenants ask for one of their own users alone`() async throws {
        let policy = AuthorityPolicy(secondFactorRoles: ["admin"], secondFactorTenants: ["strict"])
        let server = try await Self.start(policy)
        #expect(try await server.call("password/signin", Self.password).status == 200)
        #expect(try await server.manage("role/create", ["name": "admin"]).status == 200)
        #expect(try await server.manage("tenant/create", ["id": "strict", "name": "Strict"]).status == 200)
        let role: JSONValue = ["loginId": Self.name, "roleNames": ["admin"]]
        #expect(try await server.manage("user/update/role/add", role).status == 200)
        #expect(try await server.call("password/signin", Self.password).missing == "second_factor_setup")
        #expect(try await server.manage("user/update/role/remove", role).status == 200)
        #expect(try await server.call("password/signin", Self.password).status == 200)
        let tenant: JSONValue = ["loginId": Self.name, "tenantId": "strict"]
        #expect(try await server.manage("user/update/tenant/add", tenant).status == 200)
        #expect(try await server.call("password/signin", Self.password).missing == "second_factor_setup")
        await server.stop()
    }

    @Test func `where everybody needs one, pages set it up before the session begins`() async throws {
        let server = try await Self.start(AuthorityPolicy(secondFactor: .required))
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.loginPage(browser), ["username": TestServer.username, "password": TestServer.password])
        #expect(page.url.contains("/login/setup") && browser.cookieJar["keyturn-session"] == nil)
        // So does the way to the settings, which belongs to no app.
        let other = server.browser()
        let settings = try await other.submit(
            try await other.open("/settings"), ["username": TestServer.username, "password": TestServer.password])
        #expect(settings.url.contains("/login/setup") && other.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `what a reference began to set up, that reference alone confirms`() async throws {
        let server = try await Self.start(AuthorityPolicy(secondFactor: .required))
        let reference = try #require(try await server.call("password/signin", Self.password).pendingRef)
        let another = try #require(try await server.call("password/signin", Self.password).pendingRef)
        let begun = try await server.call("totp/update", ["loginId": Self.name], refresh: reference)
        let secret = try #require(TOTPSecret(typed: Secret(begun.json["key"]?.stringValue ?? "")))
        for other in [nil, another] {
            #expect(try await verify(server, TOTPCode(secret), with: other).status == 400)
            #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        }
        #expect(try await verify(server, TOTPCode(secret), with: reference).status == 200)
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == true)
        await server.stop()
    }

    @Test func `what a page began to set up, that page alone confirms`() async throws {
        let server = try await Self.start(AuthorityPolicy(secondFactor: .required))
        let browser = server.browser()
        let page = try await browser.submit(
            try await server.loginPage(browser), ["username": TestServer.username, "password": TestServer.password])
        let key = try #require(page.body.firstMatch(of: #/class="key"><code>([A-Z2-7 ]+)</#)?.1)
        let secret = try #require(TOTPSecret(typed: Secret(String(key))))
        let reference = try #require(try await server.call("password/signin", Self.password).pendingRef)
        for other in [nil, reference] {
            #expect(try await verify(server, TOTPCode(secret), with: other).status == 400)
        }
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        let code = TOTPCode(secret).code(at: server.clock.now).exposed()
        #expect(try await browser.submit(page, ["code": code]).page == "recovery-codes")
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == true)
        await server.stop()
    }
}

extension EndpointAnswer {
    /// `missing` of a refusal.
    var missing: String? { json["missing"]?.stringValue }
    /// `pendingRef` of a refusal.
    var pendingRef: String? { json["pendingRef"]?.stringValue }
}
