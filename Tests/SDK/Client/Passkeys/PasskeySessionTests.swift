import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWebAuthn
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Passkeys that end with a session")
struct PasskeySessionTests {
    let world = MethodWorld()
    let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [1]))

    private func container(
        _ service: Service? = nil, authenticator: SoftwarePasskeys? = nil
    ) -> Keyturn {
        Keyturn(
            service ?? .descope(projectID: "P1", baseURL: FakeMethods.baseURL, passkeyOrigin: "https://example.com"),
            storage: .custom(world.store), authenticator: authenticator ?? device, transport: world.service,
            ambient: world.clock.ambient)
    }

    private func sent() async throws -> [FakeMethods.Recorded] {
        await world.service.requests.map { FakeMethods.Recorded($0) }
    }

    @Test func `signs up, and the session is the container's`() async throws {
        let auth = container()
        let response = try await auth.passkeys.signUp(loginId: "a@b", details: SignUpDetails(name: "A"))
        #expect(response.user.userId == "U1")
        #expect(await auth.state == .signedIn(.fresh))
        let (start, finish) = (try await sent()[0], try await sent()[1])
        #expect(
            start
                == FakeMethods.Recorded(
                    "POST /v1/auth/webauthn/signup/start", "Bearer P1",
                    #"{"loginId":"a@b","origin":"https://example.com","user":{"name":"A"}}"#))
        #expect(finish.line == "POST /v1/auth/webauthn/signup/finish")
        let body = try JSONValue(parsing: Array(finish.body.utf8))
        #expect(body["transactionId"] == "T1")
        let text = try #require(body["response"]?.stringValue, "JSON within a text")
        let answer = try RegistrationResponse(json: JSONValue(parsing: Array(text.utf8)))
        #expect(answer.unverifiedChallenge == FakeMethods.challenge)
        #expect(await device.ceremonies.map(\.page) == [nil], "this service has no page for it")
    }

    @Test func `signs in, steps up, and signs up or in as the service says`() async throws {
        let auth = container()
        try await auth.passkeys.signUp(loginId: "a@b")
        try await auth.passkeys.signIn(loginId: "a@b", options: [.stepup])
        let bearer = try #require(try await sent().last { $0.line.hasSuffix("signin/start") })
        #expect(bearer.bearer.hasPrefix("Bearer P1:eyJ"))
        #expect(bearer.body == #"{"loginId":"a@b","loginOptions":{"stepup":true},"origin":"https://example.com"}"#)
        try await auth.passkeys.signIn()
        await world.service.set { $0.createsPasskeys = true }
        try await auth.passkeys.signUpOrIn(loginId: "b@b")
        #expect(try await sent().last?.line == "POST /v1/auth/webauthn/signup/finish")
        await world.service.set { $0.createsPasskeys = false }
        try await auth.passkeys.signUpOrIn(loginId: "b@b")
        #expect(
            try await sent().suffix(2).map(\.line) == [
                "POST /v1/auth/webauthn/signup-in/start", "POST /v1/auth/webauthn/signin/finish",
            ])
    }

    @Test func `signs in with what is there at once`() async throws {
        let auth = container()
        try await auth.passkeys.signUp(loginId: "a@b")
        await #expect(throws: AuthError(.passkeyUnavailable, "")) { try await auth.passkeys.signInImmediately() }
        let quick = SoftwarePasskeys(
            await device.authenticator,
            availability: PasskeyAvailability(passkeys: true, securityKeys: false, immediate: true))
        try await container(authenticator: quick).passkeys.signInImmediately()
        #expect(try await sent().last?.line == "POST /v1/auth/webauthn/signin/finish")
        #expect(await quick.ceremonies.map(\.isImmediate) == [true])
    }

    @Test func `adds a passkey for the person who is signed in`() async throws {
        let auth = container()
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.passkeys.add(loginId: "a@b") }
        try await auth.otp.verify(with: .email, loginId: "a@b", code: "123456")
        try await auth.passkeys.add(loginId: "a@b")
        let last = Array(try await sent().suffix(2))
        let (start, finish) = (last[0], last[1])
        #expect(start.line == "POST /v1/auth/webauthn/update/start")
        #expect(start.bearer.hasPrefix("Bearer P1:eyJ"))
        #expect(finish.line == "POST /v1/auth/webauthn/update/finish")
        #expect(finish.bearer == "Bearer P1")
        #expect(await device.authenticator.credentials.count == 1)
    }

    @Test func `nobody is asked for what could not be kept`() async throws {
        let auth = Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL),
            storage: .custom(
                SealedFileStore(
                    .init(stateRoot: "/dev/null/x", configurationRoot: "/dev/null/y"), ambient: world.clock.ambient)),
            authenticator: device, transport: world.service, ambient: world.clock.ambient)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.passkeys.signIn(loginId: "a") }
        #expect(await world.service.requests.isEmpty)
        #expect(await device.ceremonies.isEmpty)
    }

    @Test func `refusals arrive whole, and a ceremony that failed sends nothing`() async throws {
        let auth = container()
        await world.service.fail(
            "/v1/auth/webauthn/signin/start", .answer(FakeMethods.refusal(.noPasskeys)))
        let error = await #expect(throws: AuthError.self) { try await auth.passkeys.signIn(loginId: "a") }
        #expect(error?.methodCode == MethodProblem.noPasskeys.code)
        #expect(error?.passkeyCode == .badRequest)
        await world.service.fail(
            "/v1/auth/webauthn/signin/start",
            .answer(HTTPResponse(status: 200, body: Array(#"{"transactionId":"T","options":"x"}"#.utf8))))
        await #expect(throws: AuthError(.protocolViolation, "")) { try await auth.passkeys.signIn(loginId: "a") }
        let absent = await #expect(throws: AuthError.self) { try await auth.passkeys.signIn(loginId: "a") }
        #expect(absent?.code == .passkeyNotFound)
        #expect(await world.service.count("/v1/auth/webauthn/signin/finish") == 0)
        await #expect(throws: AuthError(.invalidArgument, "")) { try await auth.passkeys.signIn(loginId: "") }
    }

    @Test func `our own server is told the origin, and has a page for browsers`() async throws {
        let auth = container(.keyturn(issuer: FakeMethods.baseURL, clientID: "c", projectID: "P1"))
        try await auth.passkeys.signUp(loginId: "a@b")
        #expect(try await sent()[0].body == #"{"loginId":"a@b","origin":"https://id.example.com"}"#)
        let ceremony = try #require(await device.ceremonies.first)
        #expect(ceremony.page == .init(baseURL: FakeMethods.baseURL, name: "P1"))
        #expect(ceremony.origin == "https://id.example.com")
    }
}
