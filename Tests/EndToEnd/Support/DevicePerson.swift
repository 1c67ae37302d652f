import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import Keyturn

/// The user of a device without a keyboard: decides in a browser elsewhere, and time passes while the device waits.
struct DevicePerson: PollSleep {
    static let television = TestClients.make(
        "television", method: "none", secret: nil, firstParty: true, native: true
    ) {
        $0.grantTypes = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
    }

    private let server: TestServer

    init(_ server: TestServer) { self.server = server }

    func seconds(_ seconds: Int64) async -> Bool {
        server.clock.advance(seconds)
        return true
    }

    /// Opens the address that the device shows, signs in, and presses a button.
    func decide(_ action: String, _ code: DeviceSignInCode) async throws -> ScriptedBrowser.Screen {
        let browser = server.browser()
        let path = try #require(code.verificationURIComplete).dropFirst(server.issuer.count)
        let entry = try await browser.open(String(path))
        let question = try await server.complete(
            try await browser.submit(entry, ["user_code": code.userCode]), in: browser)
        return try await browser.submit(question, ["action": action])
    }
}
