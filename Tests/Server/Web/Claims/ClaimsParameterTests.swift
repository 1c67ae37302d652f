import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

/// What `claims` releases (OpenID Connect Core §3.1.2.4, §5.5).
@Suite("The claims parameter: nothing beyond what was granted, agreed to, or listed")
struct ClaimsParameterTests {
    private static let wish = #"""
        {"userinfo":{"email":null,"name":{"essential":true},"department":null,"groups":null,"phone_number":null},
        "id_token":{"email":null,"groups":null,"department":null,"auth_time":{"essential":true}}}
        """#

    /// A client that registered itself.
    private static func stranger(_ scope: String?) -> Client {
        let made = TestClients.make("tiny", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.scope = scope
        }
        return Client(
            id: "tiny", metadata: made.metadata, secretDigests: made.secretDigests,
            registration: ClientRegistration(
                tokenDigest: SecretDigest(of: Secret("t")), registeredAt: UnixTime(rawValue: 1_700_000_000)))
    }

    private static func start(
        _ clients: [Client], registration: RegistrationSettings? = nil, project: Project? = nil
    ) async throws -> TestServer {
        let server = try await TestServer.start(
            clients: clients, project: { project ?? Project(id: "test", name: "Test", issuer: $0) },
            registration: registration)
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.user.claims["department"] = "Engineering"
            account.user.claims["groups"] = ["admins", "staff"]
            account.user.claims["phone_number_verified"] = true
        }
        return server
    }

    /// What a client hears after a sign-in.
    private struct Heard {
        let tokens: TokenResponse
        var idToken: [String: JSONValue] { Self.claims(tokens.idToken) }
        let userInfo: [String: JSONValue]

        static func claims(_ token: String?) -> [String: JSONValue] {
            let parts = token?.split(separator: ".") ?? []
            guard parts.count == 3, let bytes = Base64URL.decode(parts[1]) else { return [:] }
            return (try? JSONValue(parsing: bytes))?.objectValue ?? [:]
        }
    }

    private func userInfo(_ accessToken: String?, _ server: TestServer) async throws -> [String: JSONValue] {
        let answer = try await server.send(
            "GET", "/oauth2/userinfo", headers: [("Authorization", "Bearer \(accessToken ?? "")")], body: nil)
        return answer.status == 200 ? answer.json.objectValue ?? [:] : [:]
    }

    private func heard(
        by client: Client, _ server: TestServer, in browser: ScriptedBrowser? = nil, scope: String = "openid",
        claims: String? = wish
    ) async throws -> Heard {
        let tokens = try await server.tokens(client, in: browser) {
            $0.scope = scope
            $0.claims = claims
        }
        return Heard(tokens: tokens, userInfo: try await userInfo(tokens.accessToken, server))
    }

    /// The page that a request leads a signed-in user to.
    private func page(
        of client: Client, _ server: TestServer, in browser: ScriptedBrowser, scope: String = "openid",
        claims: String? = wish
    ) async throws -> ScriptedBrowser.Screen {
        var request = server.request(client, proof: PKCE(ambient: .live))
        (request.scope, request.claims) = (scope, claims)
        let screen = try await server.authorize(request, in: browser)
        guard screen.page == "login" else { return screen }
        return try await browser.submit(screen, ["username": TestServer.username, "password": TestServer.password])
    }

    private static let names: Set<String> = ["email", "name", "department", "groups", "phone_number"]

    @Test(arguments: [nil, "openid"] as [String?])
    func `a client hears no claim of a scope that it may not have, whatever it wishes`(_ registered: String?)
        async throws
    {
        let client = Self.stranger(registered)
        let limit = registered == nil ? RegistrationSettings(scope: Scope(names: ["openid"])) : RegistrationSettings()
        let server = try await Self.start([client], registration: limit)
        let page = try await page(of: client, server, in: server.browser())
        #expect(page.page == "consent" && page.body.contains("Know that it is you"))
        for word in ["email address", "name", "department", "groups", "phone"] {
            #expect(!page.body.contains("See your \(word)") && !page.body.contains("“\(word)”"))
        }
        let heard = try await heard(by: client, server)
        #expect(Set(heard.userInfo.keys) == ["sub"])
        #expect(Self.names.isDisjoint(with: heard.idToken.keys) && heard.idToken["auth_time"] != nil)
        await server.stop()
    }

    @Test func `claims of a scope that a client may have are shown one by one, and more ask again`() async throws {
        let client = Self.stranger("openid profile email phone")
        let server = try await Self.start([client], registration: RegistrationSettings())
        let browser = server.browser()
        let one = #"{"userinfo":{"email":null},"id_token":{"email":null}}"#
        let first = try await page(of: client, server, in: browser, claims: one)
        #expect(first.page == "consent" && first.body.contains("See your email address"))
        #expect(!first.body.contains("See your name"))
        let heard = try await heard(by: client, server, in: browser, claims: one)
        #expect(Set(heard.userInfo.keys) == ["sub", "email"] && heard.idToken["email"] != nil)
        #expect(heard.tokens.scope == "openid")
        #expect(try await page(of: client, server, in: browser, claims: one).page == nil, "it is remembered")
        let more = try await page(of: client, server, in: browser)
        #expect(more.page == "consent" && more.body.contains("See your name"))
        #expect(more.body.contains("See your phone number"))
        #expect(!more.body.contains("department") && !more.body.contains("groups"), "those are never its own wish")
        // What was not agreed to is not told, by no token.
        #expect(Set(try await userInfo(heard.tokens.accessToken, server).keys) == ["sub", "email"])
        let all = try await self.heard(by: client, server, in: browser)
        #expect(Set(all.userInfo.keys) == ["sub", "email", "name", "phone_number"])
        #expect(all.idToken["groups"] == nil && all.idToken["department"] == nil)
        let sessions = try await browser.open("/settings/sessions")
        #expect(sessions.body.contains("See your email address") && sessions.body.contains("See your name"))
        await server.stop()
    }

    @Test func `a consent to a scope stands for its claims, and a consent from before for no others`() async throws {
        let client = Self.stranger("openid profile email")
        let server = try await Self.start([client], registration: RegistrationSettings())
        let browser = server.browser()
        _ = try await heard(by: client, server, in: browser, scope: "openid email", claims: nil)
        let same = #"{"id_token":{"email":null}}"#
        let silent = try await page(of: client, server, in: browser, claims: same)
        #expect(try TestServer.callback(silent)?.code != nil)
        #expect(try await page(of: client, server, in: browser).page == "consent", "the name is new")
        await server.stop()
    }

    @Test func `the operator's lists are shown by name to users of other companies' clients`() async throws {
        let client = TestClients.make("partner", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.scope = "openid"
            $0.idTokenClaims = ["groups"]
            $0.userinfoClaims = ["department", "email"]
        }
        let server = try await Self.start([client])
        let browser = server.browser()
        let page = try await page(of: client, server, in: browser, claims: nil)
        #expect(page.page == "consent" && page.body.contains("See your email address"))
        #expect(page.body.contains("See “groups” from your account"))
        #expect(page.body.contains("See “department” from your account"))
        let heard = try await heard(by: client, server, in: browser, claims: nil)
        #expect(heard.idToken["groups"] == ["admins", "staff"] && heard.idToken["department"] == nil)
        #expect(Set(heard.userInfo.keys) == ["sub", "department", "email"])
        // A list that grew does not reach users who agreed to less.
        var metadata = client.metadata
        metadata.userinfoClaims = ["department", "email", "name"]
        try await server.services.stores.clients.put(
            Client(id: client.id, metadata: metadata, secretDigests: client.secretDigests), at: server.clock.now)
        try await server.services.clients.reload()
        #expect(Set(try await userInfo(heard.tokens.accessToken, server).keys) == ["sub", "department", "email"])
        #expect(try await self.page(of: client, server, in: browser, claims: nil).page == "consent")
        await server.stop()
    }

    @Test func `a list that grew while the page was open is shown before it counts`() async throws {
        let client = TestClients.make("partner", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.userinfoClaims = ["department"]
        }
        let server = try await Self.start([client])
        let browser = server.browser()
        let page = try await page(of: client, server, in: browser, claims: nil)
        var metadata = client.metadata
        metadata.userinfoClaims = ["department", "groups"]
        try await server.services.stores.clients.put(
            Client(id: client.id, metadata: metadata, secretDigests: client.secretDigests), at: server.clock.now)
        try await server.services.clients.reload()
        let again = try await browser.submit(page, ["action": "allow"])
        #expect(again.page == "consent" && again.body.contains("groups"))
        #expect(try TestServer.callback(try await browser.submit(again, ["action": "allow"]))?.code != nil)
        await server.stop()
    }

    @Test func `the operator's own apps have no page: allowed scopes' claims and lists, and nothing else`() async throws
    {
        let plain = TestClients.make("own", method: "none", secret: nil, firstParty: true) { $0.scope = "openid email" }
        let listed = TestClients.make("listed", method: "none", secret: nil, firstParty: true) {
            $0.scope = "openid email"
            $0.idTokenClaims = ["groups"]
        }
        let server = try await Self.start([plain, listed])
        let heard = try await heard(by: plain, server)
        #expect(Set(heard.userInfo.keys) == ["sub", "email"])
        #expect(heard.idToken["email"] != nil && heard.idToken["groups"] == nil)
        let more = try await self.heard(by: listed, server)
        #expect(more.idToken["groups"] == ["admins", "staff"])
        #expect(Set(more.userInfo.keys) == ["sub", "email", "groups"], "a listed claim may be asked for anywhere")
        #expect(try await self.heard(by: listed, server, claims: nil).idToken["groups"] == ["admins", "staff"])
        await server.stop()
    }

    @Test func `a refresh keeps the claims of the ID token, and tells them as they are now`() async throws {
        let client = TestClients.make("own", method: "none", secret: nil, firstParty: true) {
            $0.idTokenClaims = ["groups"]
        }
        let server = try await Self.start([client])
        let heard = try await heard(by: client, server, scope: "openid offline_access")
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.user.claims["groups"] = ["staff"]
        }
        let answer = try await server.refresh(heard.tokens.refreshToken, client)
        let idToken = Heard.claims(answer.json["id_token"]?.stringValue)
        #expect(idToken["email"]?.stringValue == TestServer.username && idToken["groups"] == ["staff"])
        #expect(idToken["department"] == nil)
        await server.stop()
    }

    @Test func `a lesser token that was handed on tells its scopes alone`() async throws {
        let client = TestClients.make(
            "own", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true
        ) {
            $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
            $0.userinfoClaims = ["groups"]
        }
        let server = try await Self.start([client])
        let heard = try await heard(by: client, server, scope: "openid profile email")
        #expect(heard.userInfo["groups"] != nil && heard.userInfo["phone_number"] != nil)
        let answer = try await server.post(
            "/oauth2/token",
            FormParameters([
                "grant_type": GrantType.tokenExchange.rawValue, "subject_token": heard.tokens.accessToken,
                "subject_token_type": TokenTypeIdentifier.accessToken.rawValue, "scope": "openid email",
            ]), as: client)
        let told = try await userInfo(answer.json["access_token"]?.stringValue, server)
        #expect(Set(told.keys) == ["sub", "email", "email_verified"])
        await server.stop()
    }

    @Test(arguments: ["id_token_claims", "userinfo_claims", "unverified_contacts", "subject_type"])
    func `a client that registers itself gives itself none of it`(_ member: String) async throws {
        let server = try await TestServer.start(registration: RegistrationSettings())
        let value: JSONValue =
            switch member {
            case "unverified_contacts": true
            case "subject_type": "pairwise"
            default: ["groups"]
            }
        let answer = try await server.send(
            "POST", "/oauth2/register", headers: [("Content-Type", "application/json")],
            body: String(
                decoding: JSONValue.object(["redirect_uris": ["https://app.example/cb"], member: value]).serialized,
                as: UTF8.self))
        #expect(answer.status == 400 && answer.error == "invalid_client_metadata")
        #expect(answer.json["error_description"]?.stringValue?.contains(member) == true)
        await server.stop()
    }
}
