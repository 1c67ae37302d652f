import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: what is refused before anything is sent")
struct LocalRefusalTests {
    let world = MethodWorld()

    private func refused(
        _ code: AuthError.Code, by auth: Keyturn? = nil, _ call: (Keyturn) async throws -> Void
    ) async throws {
        let auth = auth ?? world.container()
        let before = await world.service.requests.count
        let error = await #expect(throws: AuthError.self) { try await call(auth) }
        #expect(error?.code == code)
        #expect(await world.service.requests.count == before)
    }

    @Test func `step-up and MFA without a session`() async throws {
        for option in [SignInOption.stepup, .mfa] {
            try await refused(.signedOut) { try await $0.otp.signIn(with: .email, loginId: "a", options: [option]) }
            try await refused(.signedOut) {
                try await $0.magicLink.signUpOrIn(with: .email, loginId: "a", options: [option])
            }
            try await refused(.signedOut) {
                _ = try await $0.enchantedLink.signIn(loginId: "a", options: [option])
            }
            try await refused(.signedOut) {
                try await $0.totp.verify(loginId: "a", code: "123456", options: [option])
            }
        }
    }

    @Test func `what is about the signed-in person, without one`() async throws {
        try await refused(.signedOut) { _ = try await $0.profile.me() }
        try await refused(.signedOut) { _ = try await $0.profile.tenants() }
        try await refused(.signedOut) { _ = try await $0.profile.history() }
        try await refused(.signedOut) { try await $0.profile.selectTenant("t1") }
        try await refused(.signedOut) { try await $0.otp.updateEmail("b@x", loginId: "a") }
        try await refused(.signedOut) { _ = try await $0.totp.update(loginId: "a") }
        try await refused(.signedOut) { try await $0.password.update(loginId: "a", newPassword: "n") }
        try await refused(.signedOut) { try await $0.revokeSessions(.allSessions) }
    }

    @Test func `a telephone number by email, and nothing at all`() async throws {
        let auth = try await world.signedIn()
        try await refused(.invalidArgument, by: auth) {
            try await $0.otp.updatePhone("+1", with: .email, loginId: "a")
        }
        try await refused(.invalidArgument, by: auth) {
            try await $0.magicLink.updatePhone("+1", with: .email, loginId: "a")
        }
        try await refused(.invalidArgument, by: auth) { _ = try await $0.profile.tenants(dct: true, tenantIds: ["t"]) }
        try await refused(.invalidArgument) { try await $0.otp.signUp(with: .email, loginId: "") }
        try await refused(.invalidArgument) { try await $0.otp.verify(with: .email, loginId: "a", code: "") }
        try await refused(.invalidArgument) { try await $0.magicLink.verify(token: "") }
        try await refused(.invalidArgument) { try await $0.password.signIn(loginId: "a", password: "") }
        try await refused(.invalidArgument) { _ = try await $0.enchantedLink.checkForSession(pendingRef: "") }
        try await refused(.invalidArgument) {
            _ = try await $0.accessKeys.exchange(accessKey: String(repeating: "k", count: 8_193))
        }
    }

    @Test(arguments: ["K:2", "K 2", "K\r\nX: y", "K\u{e9}"])
    func `a key that would be two parts of a header, or two headers`(_ key: String) async throws {
        try await refused(.invalidArgument) { _ = try await $0.accessKeys.exchange(accessKey: key) }
    }

    @Test func `a service that does not offer a method is named with it`() async throws {
        let plain = Keyturn(
            .openID(issuer: FakeMethods.baseURL, clientID: "app"), storage: .memory, transport: world.service)
        let error = await #expect(throws: AuthError.self) {
            try await plain.otp.signIn(with: .email, loginId: "a")
        }
        #expect(error?.code == .unsupported)
        #expect(error?.detail == "the service openid does not offer otp")
        let projectless = Keyturn(
            .keyturn(issuer: FakeMethods.baseURL, clientID: "app"), storage: .memory, transport: world.service)
        try await refused(.unsupported, by: projectless) { _ = try await $0.enchantedLink.signUp(loginId: "a") }
        try await refused(.unsupported) {
            _ = try await $0.startAuthorization(SignInOptions(redirectURI: "myapp://callback"))
        }
    }

    @Test func `a Keyturn server with a project offers the methods at its issuer`() async throws {
        let auth = Keyturn(
            .keyturn(issuer: FakeMethods.baseURL, clientID: "app", projectID: "P1"), storage: .memory,
            transport: world.service, ambient: world.clock.ambient)
        try await auth.otp.verify(with: .email, loginId: "a", code: "123456")
        #expect(try await world.service.last.line == "POST /v1/auth/otp/verify/email")
        #expect(await world.service.requests.last?.headers.contains { $0.name.hasPrefix("x-descope") } == false)
        world.clock.advance(600)
        _ = try await auth.accessToken()
        #expect(await world.service.count("/v1/auth/refresh") == 1)
    }

    @Test(arguments: ["http://id.example.com", "https://id.example.com?x", "ftp://x", "nonsense"])
    func `a service without protection`(_ url: String) async throws {
        let auth = Keyturn(.descope(projectID: "P1", baseURL: url), storage: .memory, transport: world.service)
        try await refused(.misconfigured, by: auth) { try await $0.otp.signIn(with: .email, loginId: "a") }
    }

    @Test(arguments: ["", "P:1", "P 1", "P\r\n1", String(repeating: "P", count: 129)])
    func `a project that is none`(_ project: String) async throws {
        let auth = Keyturn(
            .descope(projectID: project, baseURL: FakeMethods.baseURL), storage: .memory, transport: world.service)
        try await refused(.misconfigured, by: auth) { try await $0.otp.signIn(with: .email, loginId: "a") }
    }
}
