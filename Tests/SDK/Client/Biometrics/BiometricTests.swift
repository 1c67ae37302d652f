import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnJose
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Signing in with a touch")
struct BiometricTests {
    @Test(arguments: [SignatureAlgorithm.es256, .rs256])
    func `a key is set up, outlives the session, and signs the person in again`(
        _ algorithm: SignatureAlgorithm
    ) async throws {
        let world = try World()
        let device = SoftwareBiometrics(algorithm)
        let auth = try await world.enabled(device)
        #expect(try await auth.biometrics.isEnabled())
        try await auth.logout()
        #expect(try await auth.biometrics.isEnabled())
        var changes = auth.changes.makeAsyncIterator()
        let result = try await auth.biometrics.authenticate(World.prompt)
        #expect(result.idToken?.subject == "andy" && result.userInfo["shoe_size"] == 44)
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .signedIn))
        #expect(try await world.touchable(device).start() == .signedIn(.fresh))
        #expect(await device.prompts == [World.prompt, World.prompt])
        // A further one, in another container of the name, with the same key.
        try await world.touchable(device).biometrics.authenticate(World.prompt)
        #expect(await world.service.biometrics.keys.count == 1)
    }

    @Test func `what is signed says what it is for, and brings the key at set-up alone`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        world.clock.advance(7)
        try await auth.biometrics.authenticate(World.prompt)
        let requests = await world.service.biometrics.requests
        try #require(requests.count == 2)
        for (request, action) in zip(requests, ["setup", "authenticate"]) {
            #expect(request.header["typ"] == "vnd.authgear.biometric-request" && request.header["alg"] == "ES256")
            #expect(request.payload["action"] == .string(action))
            #expect(request.payload["challenge"]?.stringValue?.isEmpty == false)
            #expect(request.payload["device_info"]?.objectValue?.isEmpty == false)
            let issuedAt = try #require(request.payload["iat"]?.integerValue)
            #expect(request.payload["exp"]?.integerValue == issuedAt + 300)
            #expect(request.form["client_id"] == FakeService.clientID)
        }
        #expect(requests[0].header["jwk"]?["kty"] == "EC" && requests[1].header["jwk"] == nil)
        #expect(requests[0].header["kid"] == requests[1].header["kid"])
        #expect(requests[0].form["scope"] == nil)
        #expect(requests[1].form["scope"] == "openid profile email offline_access")
        #expect(requests[1].payload["iat"]?.integerValue == world.clock.now.rawValue)
        let kid = try #require(requests[0].header["kid"]?.stringValue)
        #expect((8...64).contains(kid.utf8.count))
        // The access token goes with the set-up alone.
        let tokens = await world.service.requests.filter { $0.url.hasSuffix("/token") }
        #expect(
            tokens.map { request in request.headers.contains { $0.name == "Authorization" } } == [false, true, false])
    }

    @Test(arguments: ["", "{}"])
    func `a set-up is answered with nothing, in either spelling`(_ body: String) async throws {
        let world = try World()
        await world.service.set { $0.biometrics.setUpAnswer = Array(body.utf8) }
        #expect(try await world.enabled(SoftwareBiometrics()).biometrics.isEnabled())
    }

    @Test func `a new session is bound to the device's key, like any other`() async throws {
        let world = try World()
        await world.service.set { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        let auth = try await world.enabled(SoftwareBiometrics())
        try await auth.logout()
        try await auth.biometrics.authenticate(World.prompt)
        let record = try #require(await auth.keeper.machine.record)
        #expect(record.keyThumbprint != nil)
        let last = try #require(await world.service.requests.last { $0.url.hasSuffix("/token") })
        #expect(last.headers.contains { $0.name == "DPoP" })
        #expect(await world.service.biometrics.requests.last?.form["dpop_bound_access_tokens"] == "false")
    }

    @Test func `enabling again replaces the key, and leaves nothing of the old one`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let old = await device.keyNames
        try await auth.biometrics.enable(World.prompt)
        let new = await device.keyNames
        #expect(new.count == 1 && new != old)
        try await auth.biometrics.authenticate(World.prompt)
    }

    @Test func `nobody signed in means nobody to set a key up for`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames.isEmpty)
        #expect(await device.prompts.isEmpty)
        #expect(await world.service.requests.isEmpty)
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await auth.biometrics.authenticate(World.prompt)
        }
        #expect(await world.service.requests.isEmpty)
    }

    @Test(arguments: [
        AuthError.Code.biometricUnsupported, .biometricNoEnrollment, .biometricNoPasscode, .biometricLockout,
    ])
    func `what the device lacks is said, before anything is asked of anybody`(_ missing: AuthError.Code) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.biometrics.checkSupported()
        await device.lack(missing)
        let count = await world.service.requests.count
        await #expect(throws: AuthError(missing, "")) { try await auth.biometrics.checkSupported() }
        await #expect(throws: AuthError(missing, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await world.service.requests.count == count)
        #expect(await device.prompts.isEmpty)
    }

    @Test func `a service without the grant says so, and no key is left`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.service.fail("/oauth2/challenge", .answer(HTTPResponse(status: 404)))
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames.isEmpty)
        #expect(try await !auth.biometrics.isEnabled())
    }

    @Test func `a platform without anything says so`() async throws {
        let device = NoBiometrics()
        await #expect(throws: AuthError(.biometricUnsupported, "")) { try await device.checkSupport(.anyBiometry) }
        await #expect(throws: AuthError(.biometricUnsupported, "")) { try await device.recognise(World.prompt) }
        #expect(try await device.key("a") == nil)
        #expect(try await device.secret("a", World.prompt) == nil)
    }
}
