import Keyturn
import KeyturnTesting
import Testing

@Suite("KeyturnTesting: passkeys")
struct PasskeyTests {
    @Test func `a device makes a passkey, and the next container signs in with it`() async throws {
        try await withTestServer { server in
            let device = TestPasskeys()
            func app() -> Keyturn {
                Keyturn(
                    server.service, storage: .memory, authenticator: device, transport: server.network,
                    ambient: server.clock.ambient)
            }
            let first = try await app().passkeys.signUp(loginId: "bea@example.com")
            #expect(await device.count == 1)
            #expect(try await app().passkeys.signIn(loginId: "bea@example.com").user.userId == first.user.userId)
            device.conduct = .cancels
            let error = await #expect(throws: AuthError.self) {
                try await app().passkeys.signIn(loginId: "bea@example.com")
            }
            #expect(error?.code == .cancelled)
        }
    }
}
