import Keyturn
import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import ServerTesting
import KeyturnWebAuthn
import SignIn
import Testing

@testable import KeyturnUI

@Suite("Passkeys offered in a form, at our server")
@MainActor struct PasskeyOfferTests {
    /// A device that notes over which window it would show something.
    struct NotingDevice: PasskeyAuthenticator {
        let inner: SoftwarePasskeys
        let hasOffers: Bool
        let windows = Locked<[ObjectIdentifier?]>([])

        var availability: PasskeyAvailability {
            get async {
                var availability = inner.availability
                availability.autofill = hasOffers
                return availability
            }
        }

        func create(
            _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> RegistrationResponse {
            try await inner.create(options, in: ceremony)
        }

        func get(
            _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
            let window = await MainActor.run { PresentationWindow.current.map { ObjectIdentifier($0) } }
            windows.withLock { $0.append(window) }
            return try await inner.get(options, in: ceremony)
        }
    }

    /// Stands for a window.
    final class Window: Sendable {}

    private func app(_ server: TestServer, _ device: NotingDevice) -> Keyturn {
        Keyturn(
            .snapAuth(publishableKey: "pubkey_shop", host: server.address), storage: .memory, authenticator: device,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    @Test(arguments: [true, false])
    func `hand over the token of the one that was taken, over the window of the form`(_ hasOffers: Bool) async throws {
        let policy = try WebAuthnPolicy(rpID: "shop.example", rpName: "Shop", origins: ["https://shop.example"])
        let server = try await TestServer.start(relyingParties: [
            RelyingParty(policy: policy, publishableKey: "pubkey_shop", secretKeys: [Secret("secret_shop-backend")])
        ])
        let device = NotingDevice(
            inner: SoftwarePasskeys(SoftwareAuthenticator(seed: Array("device".utf8))), hasOffers: hasOffers)
        let app = app(server, device)
        let backend = try PasskeyBackend(
            secretKey: "secret_shop-backend", host: server.address, transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        let made = try await app.passkeys.startRegister(username: "ann@example.com")
        _ = try await backend.attachRegistration(made.token, userID: "42", username: "ann@example.com")
        let (window, scene) = (Window(), SceneWindow())
        scene.window = window
        var tokens: [String] = []
        try await SceneWindow.present(over: scene) { () async throws(AuthError) in
            await PasskeyOffer.run(app) { tokens.append($0.token) }
        }
        if hasOffers {
            #expect(tokens.count == 1)
            #expect(try await backend.verifyAuthToken(tokens.first ?? "").userID == "42")
            #expect(device.windows.withLock { $0 } == [ObjectIdentifier(window)])
        } else {
            #expect(tokens.isEmpty && device.windows.withLock { $0.isEmpty })
        }
        await server.stop()
    }

    @Test func `show no failure`() async throws {
        let server = try await TestServer.start()
        let device = NotingDevice(
            inner: SoftwarePasskeys(SoftwareAuthenticator(seed: Array("device".utf8))), hasOffers: true)
        let app = app(server, device)
        await server.stop()
        await PasskeyOffer.run(app) { _ in Issue.record("there is no token") }
    }
}
