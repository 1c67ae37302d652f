import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: a sign-in that waits for a second factor")
struct PendingFactorTests {
    let world = MethodWorld()

    private func refuse(_ path: String, _ step: MissingStep, _ reference: String? = "ref-1") async {
        let problem = MethodProblem.missing(step, "more is needed")
        await world.service.fail(
            path, .answer(FakeMethods.refusal(reference.map { problem.waiting(for: Secret($0)) } ?? problem)))
    }

    /// Signs in with a password, which is not enough.
    private func begin(_ auth: Keyturn, _ step: MissingStep = .secondFactor) async throws {
        await refuse("/v1/auth/password/signin", step)
        let error = await #expect(throws: AuthError.self) {
            try await auth.password.signIn(loginId: "a", password: "p")
        }
        #expect(error?.code == .interactionRequired && error?.missingStep == step)
        #expect(error?.server?.status == 403)
        #expect(await auth.state != .signedIn(.fresh))
    }

    @Test func `the code of the authenticator app completes it`() async throws {
        let auth = world.container()
        try await begin(auth)
        try await auth.totp.verify(loginId: "a", code: "123456")
        #expect(try await world.service.last.bearer == "Bearer P1:ref-1")
        #expect(await auth.state == .signedIn(.fresh))
        // Once: the next code is a sign-in of its own, or shows the session.
        try await auth.totp.verify(loginId: "a", code: "123456")
        #expect(try await world.service.last.bearer != "Bearer P1:ref-1")
    }

    @Test func `a wrong code leaves it waiting, and one that is over is forgotten`() async throws {
        let auth = world.container()
        try await begin(auth)
        await #expect(throws: AuthError(.refused, "")) { try await auth.totp.verify(loginId: "a", code: "000000") }
        await world.service.fail("/v1/auth/totp/verify", .answer(FakeMethods.refusal(.tokenRevoked)))
        await #expect(throws: AuthError(.refused, "")) { try await auth.totp.verify(loginId: "a", code: "123456") }
        #expect(try await world.service.last.bearer == "Bearer P1:ref-1")
        try await auth.totp.verify(loginId: "a", code: "123456")
        #expect(try await world.service.last.bearer == "Bearer P1")
    }

    @Test func `a factor that is missing altogether is set up first`() async throws {
        let auth = world.container()
        try await begin(auth, .secondFactorSetup)
        _ = try await auth.totp.update(loginId: "a")
        #expect(try await world.service.last.line == "POST /v1/auth/totp/update")
        #expect(try await world.service.last.bearer == "Bearer P1:ref-1")
        try await auth.totp.verify(loginId: "a", code: "123456")
        #expect(try await world.service.last.bearer == "Bearer P1:ref-1")
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `what waits for a code sets nothing up`() async throws {
        let auth = world.container()
        try await begin(auth)
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.totp.update(loginId: "a") }
    }

    @Test func `it waits for a while, and ends with a sign-out`() async throws {
        let auth = world.container()
        try await begin(auth)
        try await auth.logout(force: true)
        try await auth.totp.verify(loginId: "a", code: "123456")
        #expect(try await world.service.last.bearer == "Bearer P1")
    }

    @Test func `a refusal without anything to go on with says what is missing`() async throws {
        let auth = try await world.signedIn()
        await refuse("/v1/auth/password/update", .recentSignIn, nil)
        let error = await #expect(throws: AuthError.self) {
            try await auth.password.update(loginId: "a", newPassword: "q")
        }
        #expect(error?.code == .interactionRequired && error?.missingStep == .recentSignIn)
        #expect("\(error.map(String.init(reflecting:)) ?? "")".contains("recent_sign_in"))
    }
}
