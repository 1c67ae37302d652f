import ArgumentParser
import Keyturn
import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWebAuthn
import KeyturnWire
import Synchronization
import Testing

@testable import keyturn

@Suite("Client commands: signing in with a passkey")
struct PasskeyLoginTests {
    static let challenge = [UInt8](repeating: 5, count: 32)

    static func started(_ options: JSONValue, creates: Bool) -> (status: Int, body: JSONValue) {
        (
            200,
            PasskeyStartAnswer(transactionID: "T1", options: ["publicKey": options], isCreation: creates, page: "T1")
                .json
        )
    }

    static let creation = started(
        PublicKeyCredentialCreationOptions(
            rpID: "id.example.com", rpName: "Ex", user: .init(id: [1], name: "a@b.cd"), challenge: challenge,
            algorithms: [-7]
        ).json, creates: true)
    static let request = started(
        PublicKeyCredentialRequestOptions(challenge: challenge, rpID: "id.example.com").json, creates: false)

    private func login(
        _ arguments: [String], _ service: MethodLoginTests.Service, _ authenticator: any PasskeyAuthenticator,
        typing lines: [String] = []
    ) async throws {
        let options = try MethodOptions.parse(arguments)
        let auth = Keyturn(
            .keyturn(issuer: "https://id.example.com", clientID: "cli", projectID: "P1"), storage: .memory,
            authenticator: authenticator, transport: service)
        let typist = MethodLoginTests.Typist(lines)
        let login = MethodLogin(
            auth: auth, options: options, method: try #require(options.method),
            console: MethodConsole(isTerminal: false, nextLine: { typist.next() }))
        _ = try await login.run()
        #expect(try await !auth.accessToken(minimumSeconds: 0).isEmpty, "the session is kept")
    }

    @Test func `nobody need be named, and the account is made if that was asked for`() async throws {
        let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [1]))
        let service = MethodLoginTests.Service([
            "/v1/auth/webauthn/signup-in/start": [Self.creation],
            "/v1/auth/webauthn/signup/finish": [MethodLoginTests.session],
            "/v1/auth/webauthn/signin/start": [Self.request],
            "/v1/auth/webauthn/signin/finish": [MethodLoginTests.session],
        ])
        try await login(["--method", "passkey", "--sign-up"], service, device, typing: ["a@b.cd"])
        try await login(["--method", "passkey"], service, device)
        #expect(
            service.paths.map { $0.dropFirst("/v1/auth/webauthn/".count) } == [
                "signup-in/start", "signup/finish", "signin/start", "signin/finish",
            ])
        #expect(service.asked.withLock { $0[0].body["loginId"] } == "a@b.cd")
        #expect(service.asked.withLock { $0[2].body["loginId"] } == "")
        #expect(service.asked.withLock { $0[2].body["origin"] } == "https://id.example.com")
        #expect(await device.ceremonies.map(\.authenticators) == [.all, .all])
        #expect(await device.ceremonies.map(\.page?.name) == ["T1", "T1"])
    }

    @Test func `a security key is asked alone, if that was said`() async throws {
        let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [1]))
        let service = MethodLoginTests.Service([
            "/v1/auth/webauthn/signup-in/start": [Self.creation],
            "/v1/auth/webauthn/signup/finish": [MethodLoginTests.session],
        ])
        try await login(
            ["--method", "passkey", "--security-key", "--sign-up", "--login-id", "a@b.cd"], service, device)
        #expect(await device.ceremonies.map(\.authenticators) == [[.securityKey]])
    }

    @Test(
        arguments: [
            ("canceled_by_user", 2, "given up"), ("timeout", 2, "in time"), ("webauthn_unavailable", 2, "page"),
            ("network_error", 3, "reached"), ("unexpected", 1, "passkey.failed"),
        ] as [(String, Int32, String)])
    func `what the browser's page says becomes a sentence and an exit code`(
        _ code: String, _ exit: Int32, _ words: String
    ) async throws {
        /// A browser that comes back with a refusal.
        struct Browser: BrowserAgent, WebAuthenticationSession {
            let code: String
            let redirectURI = "http://127.0.0.1:1/passkey"
            func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession { self }
            func open(_ url: String, state: String) async throws(AuthError) -> String {
                "\(redirectURI)?state=\(state)&error=\(code)"
            }
            func close() async {}
        }
        let service = MethodLoginTests.Service(["/v1/auth/webauthn/signin/start": [Self.request]])
        let failure = await #expect(throws: CommandFailure.self) {
            try await ClientFailure.explained {
                try await login(["--method", "passkey"], service, BrowserPasskeys(Browser(code: code)))
            }
        }
        #expect(failure?.code == exit)
        #expect(failure?.sentence.contains(words) == true, "\(failure?.sentence ?? "")")
    }

    @Test(arguments: [
        ["--security-key"], ["--method", "otp", "--security-key"], ["--method", "passkey", "--channel", "sms"],
    ])
    func `options that make no sense together are refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try MethodOptions.parse(arguments) }
    }

    @Test func `a program is asked for a PIN once, a person again`() async throws {
        func conversation(_ lines: [String], isTerminal: Bool) -> KeyConversation {
            let typist = MethodLoginTests.Typist(lines)
            return KeyConversation(console: MethodConsole(isTerminal: isTerminal, nextLine: { typist.next() }))
        }
        let program = conversation(["1234", "5678"], isTerminal: false)
        #expect(await program.pin(triesLeft: 8, wasWrong: false) == Secret("1234"))
        #expect(await program.pin(triesLeft: 7, wasWrong: true) == nil)
        #expect(await conversation([], isTerminal: false).pin(triesLeft: nil, wasWrong: false) == nil)
        let accounts = [
            SecurityKeyAccount(name: "ann", displayName: nil), SecurityKeyAccount(name: nil, displayName: nil),
        ]
        #expect(await conversation(["2"], isTerminal: false).chooseAccount(among: accounts) == 1)
        #expect(await conversation(["both"], isTerminal: false).chooseAccount(among: accounts) == nil)
    }
}
