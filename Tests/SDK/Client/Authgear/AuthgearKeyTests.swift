import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Authgear: keys behind a touch, and users without an account")
struct AuthgearKeyTests {
    private func world() async throws -> (AuthgearWorld, Keyturn) {
        let world = AuthgearWorld()
        let auth = try await world.signedIn()
        try await auth.biometrics.enable(AuthgearWorld.prompt)
        return (world, auth)
    }

    @Test func `a key is set up and signs in, with the requests of Authgear's SDK`() async throws {
        let (world, auth) = try await world()
        try await auth.logout()
        let result = try await auth.biometrics.authenticate(AuthgearWorld.prompt)
        #expect(result.idToken?.amr == ["x_biometric"] && result.userInfo.subject == "andy")
        let signed = await world.server.signed
        try #require(signed.count == 2)
        #expect(signed[0].payload["action"] == "setup" && signed[1].payload["action"] == "authenticate")
        #expect(signed[0].header["jwk"] != nil && signed[1].header["jwk"] == nil)
        #expect(signed[0].payload["device_info"]?["ios"]?["uname"]?["machine"]?.stringValue?.isEmpty == false)
        let last = try #require(await world.server.forms().last)
        #expect(last["scope"] == "openid offline_access https://authgear.com/scopes/full-access")
        #expect(try await auth.biometrics.isEnabled(), "it outlives both")
        // The session is bound like any other, and renews itself.
        try await auth.forceRefresh()
    }

    @Test func `7: a sign-in by other means removes the key`() async throws {
        let (world, auth) = try await world()
        try await auth.authorize(redirectURI: AuthgearWorld.redirectURI)
        #expect(try await !auth.biometrics.isEnabled())
        #expect(await world.device.keyNames.isEmpty)
    }

    @Test func `8: a key that the service does not know any more is removed, and the session stays`() async throws {
        let (world, auth) = try await world()
        await world.server.set { $0.keys = [:] }
        await #expect(throws: AuthError.code(.biometricKeyNotFound)) {
            // The clock of the service is known from `Date` alone, and this server says it.
            await world.server.fail("/oauth2/challenge", .answer(try world.datedChallenge("C-1")))
            await world.server.set { $0.challenges["C-1"] = world.clock.now + 300 }
            try await auth.biometrics.authenticate(AuthgearWorld.prompt)
        }
        #expect(try await !auth.biometrics.isEnabled())
        #expect(await world.device.keyNames.isEmpty)
        #expect(await auth.state.isSignedIn)
    }

    @Test(arguments: ["invalid session", "BiometricDisallowed", "invalidcredentials"])
    func `9: any other refusal leaves the key`(_ description: String) async throws {
        let (world, auth) = try await world()
        let refusal = HTTPResponse(status: 400, body: Refusal.body("invalid_grant", description))
        await world.server.fail("/oauth2/token", .answer(refusal))
        await #expect(throws: AuthError.code(.refused)) { try await auth.biometrics.authenticate(AuthgearWorld.prompt) }
        #expect(try await auth.biometrics.isEnabled())
        try await auth.biometrics.authenticate(AuthgearWorld.prompt)
    }

    @Test func `a user without an account signs in, and is the same the next time`() async throws {
        let world = AuthgearWorld()
        let auth = world.container()
        #expect(try await !auth.anonymous.hasUser())
        let first = try await auth.anonymous.signIn()
        #expect(first.userInfo.isAnonymous == true && first.scope.contains("offline_access"))
        #expect(await auth.state.isSignedIn)
        #expect(try await auth.anonymous.hasUser())
        let again = try await world.container().anonymous.signIn()
        #expect(again.userInfo.subject == first.userInfo.subject)
        let signed = await world.server.signed
        #expect(signed.map { $0.header["jwk"] != nil } == [true, false], "the key is shown once")
        #expect(signed.allSatisfy { $0.payload["action"] == "auth" && $0.payload["device_info"] == nil })
        let form = try #require(await world.server.forms().first)
        #expect(form.keys.sorted() == ["client_id", "grant_type", "jwt", "x_device_info"])
        #expect(try await auth.accessToken().isEmpty == false)
    }

    @Test func `a user without an account gets one, and the key goes`() async throws {
        let world = AuthgearWorld()
        let auth = world.container()
        let options = SignInOptions(redirectURI: AuthgearWorld.redirectURI)
        await #expect(throws: AuthError.code(.anonymousUserNotFound)) { try await auth.anonymous.promote(options) }
        let user = try await auth.anonymous.signIn().userInfo.subject
        let result = try await auth.anonymous.promote(options)
        #expect(result.userInfo.subject == user)
        let page = try #require(await world.pages.last)
        #expect(page["prompt"] == "login" && page["dpop_jkt"] != nil && page["scope"]?.contains("offline") == true)
        #expect(await world.server.signed.last?.payload["action"] == "promote")
        #expect(try await !auth.anonymous.hasUser())
        let key = await auth.deviceKeys.key("default/anonymous")
        guard case .absent = key else { throw AuthError(.storeUnavailable, "the key is still there") }
    }

    @Test func `a promotion that is given up changes nothing`() async throws {
        let world = AuthgearWorld()
        _ = try await world.container().anonymous.signIn()
        let auth = world.container()
        await world.server.set { $0.pageError = "cancel" }
        await #expect(throws: AuthError.code(.cancelled)) {
            try await auth.anonymous.promote(SignInOptions(redirectURI: AuthgearWorld.redirectURI))
        }
        #expect(try await auth.anonymous.hasUser())
        #expect(try await auth.start().isSignedIn)
    }

    @Test func `a logout ends what a user without an account is known by`() async throws {
        let world = AuthgearWorld()
        let auth = world.container()
        let first = try await auth.anonymous.signIn().userInfo.subject
        try await auth.logout()
        #expect(try await !auth.anonymous.hasUser())
        #expect(try await auth.anonymous.signIn().userInfo.subject != first)
    }

    @Test func `a key that a stopped program left is used, and shown once more`() async throws {
        let world = AuthgearWorld()
        let auth = world.container()
        let first = try await auth.anonymous.signIn().userInfo.subject
        _ = try await world.store.remove("default/anonymous-user", when: .always)
        #expect(try await auth.anonymous.signIn().userInfo.subject == first)
    }

    @Test func `other services have no users without an account`() async throws {
        let auth = try World().container()
        await #expect(throws: AuthError.code(.unsupported)) { try await auth.anonymous.signIn() }
        #expect(try await !auth.anonymous.hasUser())
    }
}

extension AuthgearWorld {
    /// A challenge in an answer that says when it was made.
    func datedChallenge(_ token: String) throws -> HTTPResponse {
        let body: JSONValue = ["result": ["token": .string(token), "expire_at": "2027-01-15T08:05:00Z"]]
        return HTTPResponse(
            status: 200, headers: [("Date", FakeService.date(clock.now))], body: body.serialized)
    }
}
