import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: proofs that are answered late")
struct LateProofTests {
    let world = MethodWorld()

    @Test(arguments: [false, true])
    func `an answer after the sign-out signs nobody in, and its session is given back`(_ force: Bool) async throws {
        let auth = world.container()
        let gate = Gate()
        await world.service.fail("/v1/auth/otp/verify/email", .answerHeld(gate))
        let proof = Task { try await auth.otp.verify(with: .email, loginId: "a", code: "123456") }
        await gate.someoneArrives()
        let late = await world.service.refreshToken
        try await auth.logout(force: force)
        await gate.open()
        await #expect(throws: AuthError(.signedOut, "")) { try await proof.value }
        #expect(await auth.state == .signedOut)
        #expect(await world.store.read("default").record == nil)
        #expect(await world.service.ended == [late])
    }

    @Test func `a sign-out while the session is being stored leaves nothing behind`() async throws {
        let auth = world.container()
        let gate = Gate()
        await world.store.holdAfterWriting(gate)
        let proof = Task { try await auth.otp.verify(with: .email, loginId: "a", code: "123456") }
        await gate.someoneArrives()
        let goodbye = Task { try await auth.logout(force: true) }
        while await auth.keeper.timesGivenUp == 0 { await Task.yield() }
        await gate.open()
        await #expect(throws: AuthError(.signedOut, "")) { try await proof.value }
        try await goodbye.value
        #expect(await auth.state == .signedOut)
        #expect(await world.store.read("default").record == nil)
    }

    @Test func `a session that cannot be stored is given back, and nobody is signed in`() async throws {
        let auth = world.container()
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await auth.otp.verify(with: .email, loginId: "a", code: "123456")
        }
        #expect(await world.service.ended.count == 1)
        #expect(await auth.state != .signedIn(.fresh))
    }

    @Test func `a step-up's answer after somebody else signed in replaces nobody`() async throws {
        let auth = try await world.signedIn()
        let gate = Gate()
        await world.service.fail("/v1/auth/totp/verify", .answerHeld(gate))
        let proof = Task { try await auth.totp.verify(loginId: "a", code: "123456", options: [.stepup]) }
        await gate.someoneArrives()
        try await auth.logout(force: true)
        await world.service.set { $0.subject = "U2" }
        try await auth.otp.verify(with: .email, loginId: "b", code: "123456")
        await gate.open()
        await #expect(throws: AuthError(.signedOut, "")) { try await proof.value }
        #expect(auth.sessionManager.session?.subject == "U2")
        #expect(await auth.state == .signedIn(.fresh))
    }
}
