import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Passkeys with tokens: the backend's half")
struct PasskeyBackendTests {
    /// Answers each request with the same.
    final class Script: HTTPTransport {
        private let response: HTTPResponse
        let sent = Locked<[HTTPRequest]>([])

        init(_ result: JSONValue) {
            response = HTTPResponse(status: 200, body: PasskeyEnvelope(result: result).json.serialized)
        }

        init(_ result: JSONValue, warnings: [PasskeyServiceError]) {
            response = HTTPResponse(
                status: 200, body: PasskeyEnvelope(result: result, warnings: warnings).json.serialized)
        }

        init(refusing code: PasskeyErrorCode) {
            response = FakePasskeyService.refusal(code, status: 404)
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            sent.withLock { $0.append(request) }
            return response
        }

        var lines: [String] {
            sent.withLock { requests in
                requests.map { "\($0.method) \($0.url) " + String(decoding: $0.body ?? [], as: UTF8.self) }
            }
        }
    }

    static let credential = PasskeyCredential(
        id: "ctl_1", aaguid: "00000000-0000-0000-0000-000000000000", name: "Passkey", isActive: true,
        isBackedUp: false, isBackupEligible: false, isUvInitialized: true, createdAt: UnixTime(rawValue: 1_709_841_724),
        transports: ["usb"])

    private func backend(_ script: Script) throws -> PasskeyBackend {
        try PasskeyBackend(secretKey: "secret_x", transport: script)
    }

    @Test func `attaches a registration as the service's own clients do`() async throws {
        let script = Script(Self.credential.json)
        let passkeys = try backend(script)
        #expect(try await passkeys.attachRegistration("t", userID: "42", username: "a@b") == Self.credential)
        _ = try await passkeys.attachRegistration("t", userID: "42")
        #expect(
            script.lines == [
                """
                POST https://api.snapauth.app/credential/create \
                {"token":"t","user":{"id":"42","username":"a@b"}}
                """,
                #"POST https://api.snapauth.app/credential/create {"token":"t","user":{"id":"42"}}"#,
            ])
        let headers = script.sent.withLock { $0[0].headers }
        #expect(headers.first { $0.name == "Authorization" }?.value == "Basic OnNlY3JldF94")
    }

    @Test func `says who authenticated, and what the service adds`() async throws {
        let script = Script(["user": ["id": "42"], "uv": true, "authTime": 1_709_841_800])
        let user = try await backend(script).verifyAuthToken("t")
        #expect(
            user == VerifiedPasskeyUser(userID: "42", isUserVerified: true, authTime: UnixTime(rawValue: 1_709_841_800))
        )
        #expect(script.lines == [#"POST https://api.snapauth.app/auth/verify {"token":"t"}"#])
    }

    @Test func `lists, renames, switches off and on, and deletes`() async throws {
        let script = Script(Self.credential.json)
        let passkeys = try backend(script)
        try await passkeys.rename(credential: "ctl_1", to: "Blue key")
        try await passkeys.deactivate(credential: "ctl_1")
        try await passkeys.activate(credential: "ctl_1")
        try await passkeys.delete(credential: "ctl_1")
        let prefix = "POST https://api.snapauth.app/credential/"
        #expect(
            script.lines.map { $0.dropFirst(prefix.count) } == [
                #"update {"id":"ctl_1","name":"Blue key"}"#, #"update {"id":"ctl_1","isActive":false}"#,
                #"update {"id":"ctl_1","isActive":true}"#, #"delete {"id":"ctl_1"}"#,
            ])
        let list = Script(["credentials": [Self.credential.json]])
        #expect(try await backend(list).credentials(of: .username("a@b")) == [Self.credential])
        #expect(list.lines == [prefix + #"list {"user":{"username":"a@b"}}"#])
    }

    @Test(arguments: [
        PasskeyErrorCode.entityNotFound, .permissionViolation, .registeredUserLimitReached, .secretKeyExpired,
        .secretKeyNotFound, .tokenExpired, .tokenNotFound, .usernameCannotChange, .usernameInUseByDifferentAccount,
    ])
    func `every refusal arrives with its code and message`(_ code: PasskeyErrorCode) async throws {
        let error = await #expect(throws: AuthError.self) {
            try await backend(Script(refusing: code)).verifyAuthToken("t")
        }
        #expect(error?.code == .refused)
        #expect(error?.passkey?.errors == [.init(code: code, message: "because of \(code.rawValue)")])
        #expect(error?.server?.status == 404)
    }

    @Test func `a result that lacks a member is no result`() async throws {
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await backend(Script(["user": [:]])).verifyAuthToken("t")
        }
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await backend(Script(["id": "ctl_1"])).attachRegistration("t", userID: "42")
        }
    }

    @Test(arguments: ["", "pubkey_x", "secret_", "secret_a b"]) func `a key that is none is refused at once`(
        _ key: String
    ) {
        #expect(throws: AuthError(.misconfigured, "")) { try PasskeyBackend(secretKey: key) }
        #expect(throws: AuthError(.misconfigured, "")) {
            try PasskeyBackend(environment: ["SNAPAUTH_SECRET_KEY": key])
        }
    }

    @Test func `the environment may hold the key, and nothing shows it`() throws {
        let passkeys = try PasskeyBackend(environment: ["SNAPAUTH_SECRET_KEY": "secret_hidden"])
        var text = "\(passkeys) \(String(reflecting: passkeys))"
        dump(passkeys, to: &text)
        #expect(!text.contains("hidden"))
    }

    @Test func `credentials of another service are brought along`() async throws {
        let script = Script(PasskeyCredentialList(credentials: [Self.credential]).json)
        let passkeys = try backend(script)
        let imported = ImportedPasskey(
            rawID: [1], publicKey: .cose([2]), userID: "42", userHandle: [3], isBackupEligible: true, isBackedUp: true)
        #expect(try await passkeys.importCredentials([imported]) == [Self.credential])
        let body = String(decoding: CredentialImportRequest(credentials: [imported]).json.serialized, as: UTF8.self)
        #expect(script.lines == ["POST https://api.snapauth.app/credential/import \(body)"])
        var nobody = imported
        nobody.userID = ""
        for wrong in [[], Array(repeating: imported, count: 101), [nobody]] {
            await #expect(throws: AuthError(.invalidArgument, "")) { try await passkeys.importCredentials(wrong) }
        }
        #expect(script.lines.count == 1)
    }

    @Test func `what the service says beside a success is handed on`() async throws {
        let warning = PasskeyServiceError(code: .secretKeyOutdated, message: "Another secret key replaces this one")
        let heard = Locked<[PasskeyServiceError]>([])
        let script = Script(Self.credential.json, warnings: [warning, warning])
        let passkeys = try PasskeyBackend(secretKey: "secret_x", transport: script) { warning in
            heard.withLock { $0.append(warning) }
        }
        try await passkeys.rename(credential: "ctl_1", to: "Blue key")
        #expect(heard.withLock { $0 } == [warning, warning])
    }

    @Test func `what cannot be meant is not sent`() async throws {
        let script = Script(Self.credential.json)
        let passkeys = try backend(script)
        let long = String(repeating: "x", count: 256)
        await #expect(throws: AuthError(.invalidArgument, "")) { try await passkeys.verifyAuthToken("") }
        await #expect(throws: AuthError(.invalidArgument, "")) {
            try await passkeys.attachRegistration("t", userID: "")
        }
        await #expect(throws: AuthError(.invalidArgument, "")) {
            try await passkeys.attachRegistration("t", userID: "1", username: long)
        }
        await #expect(throws: AuthError(.invalidArgument, "")) {
            try await passkeys.rename(credential: "ctl_1", to: long)
        }
        await #expect(throws: AuthError(.invalidArgument, "")) { try await passkeys.delete(credential: "") }
        await #expect(throws: AuthError(.invalidArgument, "")) { try await passkeys.credentials(of: .id(long)) }
        #expect(script.lines.isEmpty)
    }
}
