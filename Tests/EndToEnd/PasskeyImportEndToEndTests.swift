import Keyturn
import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWebAuthn
import KeyturnWire
import ServerTesting
import Testing

@Suite("End to end: passkeys that come along from another service")
struct PasskeyImportEndToEndTests {
    @Test func `a passkey that another service registered signs in after its import`() async throws {
        let server = try await TestServer.start(relyingParties: [PasskeyEndToEndTests.Site.party])
        var device = SoftwareAuthenticator(seed: Array("device".utf8))
        device.behaviour.origin = "https://shop.example"
        _ = try device.register(
            PublicKeyCredentialCreationOptions(
                rpID: "shop.example", rpName: "Shop", user: .init(id: [7, 7, 7]),
                challenge: Array(repeating: 1, count: 32), algorithms: [-7]))
        let made = try #require(device.credentials.last)
        let site = try PasskeyEndToEndTests.Site(server, device: SoftwarePasskeys(device))
        let imported = ImportedPasskey(
            rawID: made.id, publicKey: .cose(made.key.publicKey.encoded), userID: "42", username: "ann@example.com",
            userHandle: made.userHandle, signCount: made.signCount, isBackupEligible: true, isBackedUp: true)
        let credential = try #require(try await site.backend.importCredentials([imported]).first)
        let token = try await site.app.passkeys.startAuth(.username("ann@example.com")).token
        let verified = try await site.backend.verifyAuthToken(token)
        #expect(verified.userID == "42" && verified.credentialID == credential.id)
        let filled = try await site.app.passkeys.handleAutoFill()
        #expect(try await site.backend.verifyAuthToken(filled.token).userID == "42")
        let again = await #expect(throws: AuthError.self) { try await site.backend.importCredentials([imported]) }
        #expect(again?.passkey?.errors.first?.code == .credentialAlreadyRegistered)
        await server.stop()
    }
}
