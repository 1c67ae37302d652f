import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A renewal that the service refuses until the user was at its page")
struct RefusedRenewalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let name: String
        var status = 400
        let body: String
        /// The service's own code.
        let code: String
        var testDescription: String { name }

        var response: HTTPResponse {
            HTTPResponse(
                status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
    }

    static let entra = Refusal(
        name: "Entra wants another factor",
        body: #"""
            {"error":"interaction_required","error_description":"AADSTS50076: Due to a configuration change made by \#
            your administrator, you must use multi-factor authentication.","error_codes":[50076],\#
            "suberror":"basic_action"}
            """#, code: "interaction_required")
    static let refusals = [
        entra,
        Refusal(name: "a sign-in", body: #"{"error":"login_required"}"#, code: "login_required"),
        Refusal(name: "consent", body: #"{"error":"consent_required"}"#, code: "consent_required"),
        Refusal(
            name: "Auth0 wants another factor", status: 403,
            body: #"{"error":"mfa_required","error_description":"Multifactor authentication required"}"#,
            code: "mfa_required"),
        Refusal(name: "a token that is not good", body: #"{"error":"invalid_token"}"#, code: "invalid_token"),
        Refusal(
            name: "a token that was revoked",
            body: #"{"error":"invalid_request","error_description":"Refresh Token has been revoked"}"#,
            code: "invalid_request"),
        Refusal(
            name: "Cognito's own JSON",
            body: #"{"__type":"NotAuthorizedException","message":"Refresh Token has been revoked"}"#,
            code: "NotAuthorizedException"),
        Refusal(
            name: "Firebase's own JSON",
            body: #"{"error":{"code":400,"message":"TOKEN_EXPIRED","status":"INVALID_ARGUMENT"}}"#,
            code: "TOKEN_EXPIRED"),
        Refusal(
            name: "Slack's error in a 200", status: 200, body: #"{"ok":false,"error":"invalid_refresh_token"}"#,
            code: "invalid_refresh_token"),
        Refusal(
            name: "GitHub's error in a 200", status: 200,
            body: #"{"error":"bad_refresh_token","error_description":"The refresh token passed is incorrect."}"#,
            code: "bad_refresh_token"),
    ]

    /// A container whose access token has run out, and whose next renewal is refused.
    private static func refused(_ world: World, _ refusal: Refusal = entra) async throws -> Keyturn {
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.fail("/token", .answer(refusal.response))
        return auth
    }

    @Test(arguments: refusals)
    func `has a state of its own, and the page gets out of it`(_ refusal: Refusal) async throws {
        let world = try World()
        let auth = try await Self.refused(world, refusal)
        var changes = auth.changes.makeAsyncIterator()
        let error = await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.accessToken() }
        #expect(error?.server?.code == refusal.code)
        #expect(error?.detail.contains("authorizeIfNeeded") == true)
        #expect(await auth.state == .signedIn(.interactionRequired))
        let change = await changes.next()
        #expect(change?.reason == .interactionRequired && change?.state == .signedIn(.interactionRequired))
        #expect(change?.error?.server?.code == refusal.code)
        #expect(await world.store.read("default").record != nil, "the session stays stored")
        let session = try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(try await auth.accessToken() == session.accessToken)
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `is known to a program that starts later, which opens the page without another try`() async throws {
        let world = try World()
        let first = try await Self.refused(world)
        await #expect(throws: AuthError(.interactionRequired, "")) { try await first.accessToken() }
        let next = world.container()
        #expect(try await next.start() == .signedIn(.interactionRequired))
        let renewals = await world.renewals
        try await next.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(await world.renewals == renewals)
        #expect(try await next.fetchAPI() == 200)
    }

    @Test func `is told to another container that runs`() async throws {
        let world = try World()
        let auth = try await Self.refused(world)
        let other = world.container()
        try await other.start()
        var changes = other.changes.makeAsyncIterator()
        await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.accessToken() }
        world.clock.advance(1)
        #expect(try await other.start() == .signedIn(.interactionRequired))
        #expect(await changes.next()?.reason == .interactionRequired)
    }

    @Test func `is tried again after a minute, and not before`() async throws {
        let world = try World()
        let auth = try await Self.refused(world)
        await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.accessToken() }
        let asked = await world.renewals
        world.clock.advance(20)
        await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.accessToken() }
        #expect(await world.renewals == asked)
        // The user has done elsewhere what was asked for.
        world.clock.advance(60)
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await world.container().start() == .signedIn(.fresh))
    }

    @Test func `ahead of time takes nothing that is still good, but the next sign-in is due`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let token = try await auth.accessToken()
        world.clock.advance(545)
        await world.service.fail("/token", .answer(Self.entra.response))
        #expect(try await auth.accessToken(minimumSeconds: 30) == token)
        #expect(await world.renewals == 1)
        await world.service.fail("/token", .answer(Self.entra.response))
        await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.forceRefresh() }
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await auth.authorizeIfNeeded(redirectURI: World.redirectURI).accessToken != token)
    }

    @Test func `of a token whose lifetime nobody knows is seen at once`() async throws {
        let world = try World()
        await world.service.set { $0.lifetimeSeconds = nil }
        let auth = try await world.signedIn()
        await world.service.fail("/token", .answer(Self.entra.response))
        await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.forceRefresh() }
        #expect(await auth.state == .signedIn(.interactionRequired))
    }

    @Test func `is not taken for what the user can do nothing about`() {
        func wantsPerson(_ code: String?, status: Int = 400) -> Bool {
            AuthError(.refused, "", server: .init(status: status, code: code)).wantsPerson
        }
        for code in [
            "invalid_client", "unauthorized_client", "invalid_scope", "invalid_dpop_proof", "server_error", "forbidden",
            "Access Denied by policy", "E061102", "INVALID_ARGUMENT", "TooManyRequestsException", "invalid_grant", "",
        ] { #expect(!wantsPerson(code), "\(code)") }
        #expect(!wantsPerson(nil, status: 403))
        for code in ["access_denied", "expired_token", "TOKEN_EXPIRED", "USER_DISABLED", "interaction_required"] {
            #expect(wantsPerson(code), "\(code)")
        }
    }

    @Test func `is like the end of a token that no refresh token renews`() async throws {
        let world = try World()
        await world.service.set { $0.issuesRefreshTokens = false }
        let auth = try await world.signedIn()
        var changes = auth.changes.makeAsyncIterator()
        #expect(await auth.state == .signedIn(.fresh))
        world.clock.advance(600)
        #expect(await auth.state == .signedIn(.interactionRequired))
        #expect(try await world.container().start() == .signedIn(.interactionRequired))
        await #expect(throws: AuthError(.tokenExpired, "")) { try await auth.accessToken() }
        let change = await changes.next()
        #expect(change?.reason == .interactionRequired && change?.error?.code == .tokenExpired)
        try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(await auth.state == .signedIn(.fresh))
    }
}
