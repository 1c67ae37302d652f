import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Devices that ask to be let in, and people who let them in.
extension TestServer {
    private static let deviceGrants = [
        "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
    ]

    /// A public client of the operator's own, registered for device codes.
    static let television = TestClients.make("television", method: "none", secret: nil, firstParty: true, native: true)
    {
        $0.grantTypes = deviceGrants
    }
    /// Somebody else's confidential client.
    static let printer = TestClients.make("printer", method: "client_secret_basic", secret: TestClients.webSecret) {
        $0.grantTypes = deviceGrants
    }

    static func startWithDevices(
        trustsForwarding: Bool = false, clients: [Client] = [], onStatement: (@Sendable (String) -> Void)? = nil
    ) async throws -> TestServer {
        try await start(
            clients: [television, printer] + clients, trustsForwarding: trustsForwarding, onStatement: onStatement)
    }

    /// Asks as a device would.
    func deviceRequest(
        _ client: Client = television, scope: String? = "openid profile offline_access",
        others: KeyValuePairs<String, String> = [:], headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        var form = FormParameters()
        form.append("scope", scope)
        for (name, value) in others { form.append(name, value) }
        return try await post("/oauth2/device_authorization", form, as: client, headers: headers)
    }

    /// The same, as an answer that was granted.
    func device(
        _ client: Client = television, scope: String? = "openid profile offline_access",
        others: KeyValuePairs<String, String> = [:], headers: [(String, String)] = []
    ) async throws -> DeviceAuthorizationResponse {
        let answer = try await deviceRequest(client, scope: scope, others: others, headers: headers)
        guard answer.status == 200 else { throw TestFailure("the device was refused: \(answer.body)") }
        return try JSONDecoder().decode(DeviceAuthorizationResponse.self, from: Data(answer.body.utf8))
    }

    /// Asks whether somebody has decided.
    func poll(
        _ device: DeviceAuthorizationResponse, as client: Client = television, headers: [(String, String)] = []
    ) async throws -> EndpointAnswer {
        try await post(
            "/oauth2/token", TokenRequest.deviceCode(Secret(device.deviceCode)).parameters, as: client,
            headers: headers)
    }

    /// Types a code, signs in if that is asked for, and comes to the question.
    func question(
        _ code: String, in browser: ScriptedBrowser, path: String = "/device"
    ) async throws -> ScriptedBrowser.Screen {
        let entry = try await browser.open(path)
        let screen = try await browser.submit(entry, ["user_code": code])
        return try await complete(screen, in: browser)
    }

    /// Lets a device in.
    func allow(_ device: DeviceAuthorizationResponse, in browser: ScriptedBrowser? = nil) async throws
        -> ScriptedBrowser.Screen
    {
        let browser = browser ?? self.browser()
        return try await browser.submit(
            try await question(device.userCode, in: browser), ["action": "allow"])
    }

    /// How often something of the kind was written down.
    func auditCount(_ kind: AuditEvent.Kind) async throws -> Int {
        _ = try await services.auditLog.flush()
        return try await services.stores.audit.newest(limit: 1_000).count { $0.kind == kind }
    }
}
