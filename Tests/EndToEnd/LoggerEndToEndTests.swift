import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnClientAuthenticator
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("End to end: what an app's log is told")
struct LoggerEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"

    /// What was told, line for line.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ level: KeyturnLogger.Level, _ text: String) { lines.withLock { $0.append("\(level) \(text)") } }
        var all: [String] { lines.withLock { $0 } }
        var text: String { all.joined(separator: "\n") }
    }

    /// The way to the server, which notes every value that was sent or received.
    private actor Witness: HTTPTransport {
        private let inner: DatedTransport
        private(set) var values: Set<String> = []

        init(_ clock: VirtualClock) {
            inner = DatedTransport(clock)
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            note(request.body ?? [], request.headers)
            let response = try await inner.send(request)
            note(response.body, response.headers)
            return response
        }

        private func note(_ body: [UInt8], _ headers: [(name: String, value: String)]) {
            let secrets = ["authorization", "dpop", "dpop-nonce"]
            for (name, value) in headers where secrets.contains(name.lowercased()) {
                for word in value.split(whereSeparator: { " :".contains($0) }) { add(String(word)) }
            }
            if let json = try? JSONValue(parsing: body) {
                note(json)
            } else if let form = try? FormParameters(parsing: String(decoding: body, as: UTF8.self)) {
                for field in form.all { add(field.value) }
            }
        }

        private func note(_ json: JSONValue) {
            if let text = json.stringValue { add(text) }
            for value in json.arrayValue ?? [] { note(value) }
            for value in (json.objectValue ?? [:]).values { note(value) }
        }

        /// Names of the protocols are no secrets; neither are public keys' coordinates, which are noted all the same.
        private func add(_ value: String) {
            if value.utf8.count >= 6, value.contains(where: \.isNumber) { values.insert(value) }
        }
    }

    @Test func `no token, PIN, password, code or name of a user reaches it, at any level`() async throws {
        let server = try await TestServer.start()
        let (lines, witness) = (Lines(), Witness(server.clock))
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test", binding: .allTokens),
            storage: .memory, browser: PersonAtBrowser(browser: server.browser()),
            biometricDevice: SoftwareBiometrics(), transport: witness, ambient: server.clock.ambient,
            logger: KeyturnLogger(.debug) { lines.add($0, $1) })
        let user = TestServer.subject.rawValue
        // A sign-in on the page, requests, a vault with a PIN and a touch, a wrong PIN, a code, a wrong password.
        try await auth.authorize(redirectURI: Self.callback)
        let path = "/oauth2/userinfo/s3cr3t-in-the-path?token=secret-in-the-query"
        _ = try await auth.fetch(URLRequest(url: try #require(URL(string: server.issuer + path))))
        try await auth.vault.store(newPassword: "918273")
        try await auth.vault.enableBiometrics(user, password: "918273")
        try await auth.vault.lock()
        await #expect(throws: AuthError.self) { try await auth.vault.unlock(user, password: "555555") }
        try await auth.vault.unlockWithBiometrics(user, prompt: BiometricPrompt(reason: "x"))
        server.clock.advance(601)
        _ = try await auth.userInfo()
        _ = try await auth.otp.signIn(with: .email, loginId: TestServer.username, options: [.mfa])
        let code = try #require(try await server.newestMessage(to: TestServer.username).code)
        try await auth.otp.verify(with: .email, loginId: TestServer.username, code: code)
        await #expect(throws: AuthError.self) {
            try await auth.password.signIn(loginId: TestServer.username, password: "a-secret-slip-99")
        }
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .administrator, at: server.clock.now)
        await #expect(throws: AuthError.self) { try await auth.forceRefresh() }
        await server.stop()
        await #expect(throws: AuthError.self) { try await auth.authorize(redirectURI: Self.callback) }

        let text = lines.text
        for told in [
            "debug POST \(server.issuer)/oauth2/token: 200", "info session: signed_in", "info session: unlocked",
            "info session: refreshed", "error session: ended (server.refused 400 invalid_grant)",
            "info POST \(server.issuer)/v1/auth/password/signin: ", "no answer",
        ] {
            #expect(text.contains(told), "\(told)")
        }
        let given = [
            "918273", "555555", code, "a-secret-slip-99", TestServer.username, TestServer.password, "Andy", user,
            "s3cr3t", "secret",
        ]
        let seen = await witness.values
        #expect(seen.count > 50)
        #expect(seen.contains("918273") && seen.contains(code), "the witness sees what matters")
        // Names of endpoints are in the discovery document.
        for secret in seen.union(given) where !secret.hasPrefix(server.issuer) && !server.issuer.contains(secret) {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test func `each level tells what those before it do`() async throws {
        let server = try await TestServer.start()
        var counts: [Int] = []
        for level in KeyturnLogger.Level.allCases {
            let lines = Lines()
            let auth = Keyturn(
                .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test"), storage: .memory,
                browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
                ambient: server.clock.ambient, logger: KeyturnLogger(level) { lines.add($0, $1) })
            try await auth.authorize(redirectURI: Self.callback)
            try await auth.logout()
            counts.append(lines.all.count)
        }
        #expect(counts[0] == 0, "nothing went wrong")
        #expect(counts[1] > 0 && counts[2] > counts[1])
        await server.stop()
    }
}
