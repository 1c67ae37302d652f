import ArgumentParser
import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Synchronization
import Testing

@testable import keyturn

@Suite("Client commands: a client that signs in as itself")
struct ClientCredentialsTests {
    static let issuer = "https://id.example.com"

    /// A server that takes the secret in one way.
    final class Server: HTTPTransport {
        let takes: ClientAuthenticationMethod
        let supported: [String]?
        let token: JSONValue
        /// The forms that came to the token endpoint, and with which header.
        let asked = Mutex<[(form: FormParameters, authorization: String?)]>([])
        let revoked = Mutex<[String?]>([])

        init(
            _ takes: ClientAuthenticationMethod, supported: [String]? = nil,
            token: JSONValue = ["access_token": "first", "token_type": "Bearer", "expires_in": 600]
        ) {
            (self.takes, self.supported, self.token) = (takes, supported, token)
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            if request.url.hasSuffix("/.well-known/openid-configuration") { return Self.answer(200, metadata) }
            let text = String(decoding: request.body ?? [], as: UTF8.self)
            guard let form = try? FormParameters(parsing: text) else { return Self.answer(400, [:]) }
            if request.url.hasSuffix("/revoke") {
                revoked.withLock { $0.append(form.values("token").first) }
                return HTTPResponse(status: 200)
            }
            let header = request.headers.first { $0.name == "Authorization" }?.value
            asked.withLock { $0.append((form, header)) }
            let method: ClientAuthenticationMethod = header == nil ? .clientSecretPost : .clientSecretBasic
            guard method == takes, secret(form, header) == "s3cret" else {
                return Self.answer(401, ["error": "invalid_client", "error_description": "wrong secret"])
            }
            return Self.answer(200, token)
        }

        private func secret(_ form: FormParameters, _ header: String?) -> String? {
            guard let header else { return form.values("client_secret").first }
            return BasicCredentials(header: header)?.clientSecret.exposed()
        }

        private var metadata: JSONValue {
            var members: [String: JSONValue] = [
                "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
                "revocation_endpoint": .string(issuer + "/revoke"),
            ]
            if let supported {
                members["token_endpoint_auth_methods_supported"] = .array(supported.map(JSONValue.string))
            }
            return .object(members)
        }

        private static func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
            HTTPResponse(
                status: status, headers: [("Content-Type", "application/json")], body: body.serialized)
        }
    }

    static let client = StoredClient(
        issuer: issuer, clientID: "reports", secret: Secret("s3cret"), scope: "reports.read",
        resource: ["https://api.example.com"])

    @Test(arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
    func `how the server takes the secret is found out, and then known`(
        _ method: ClientAuthenticationMethod
    ) async throws {
        let server = Server(method)
        let tokens = ClientTokens(transport: server)
        let signedIn = try await tokens.renewed(Self.client)
        #expect(signedIn.method == method && signedIn.token?.text == Secret("first"))
        let form = try #require(server.asked.withLock { $0.last }).form
        #expect(form.values("grant_type") == ["client_credentials"] && form.values("scope") == ["reports.read"])
        #expect(form.values("resource") == ["https://api.example.com"])
        let before = server.asked.withLock { $0.count }
        _ = try await tokens.renewed(signedIn)
        #expect(server.asked.withLock { $0.count } == before + 1)
    }

    @Test func `a wrong secret is refused in the server's words, and not sent in a way that the server does not take`()
        async throws
    {
        let wrong = StoredClient(
            issuer: Self.issuer, clientID: "reports", secret: Secret("wrong"), scope: nil, resource: [])
        let server = Server(.clientSecretPost, supported: ["client_secret_post", "private_key_jwt"])
        let error = await #expect(throws: AuthError.self) {
            try await ClientTokens(transport: server).renewed(wrong)
        }
        #expect(error?.code == .refused && error?.server?.description == "wrong secret")
        #expect(server.asked.withLock { $0.count } == 1)
        let none = Server(.clientSecretPost, supported: ["private_key_jwt"])
        await #expect(throws: AuthError(.unsupported, "")) {
            try await ClientTokens(transport: none).renewed(Self.client)
        }
        #expect(none.asked.withLock { $0.isEmpty })
    }

    @Test(
        arguments: [
            ["token_type": "Bearer"], ["access_token": "a b", "token_type": "Bearer"], ["access_token": "a"],
            ["access_token": "a", "token_type": "DPoP"],
        ] as [JSONValue])
    func `an answer without a token that can be used is refused`(_ answer: JSONValue) async {
        await #expect(throws: AuthError.self) {
            try await ClientTokens(transport: Server(.clientSecretBasic, token: answer)).renewed(Self.client)
        }
    }

    @Test func `what is stored can be read again`() throws {
        var client = Self.client
        client.method = .clientSecretPost
        client.token = StoredClient.Token(
            text: Secret("t"), expiresAt: UnixTime(rawValue: 1_800_000_000), scope: "reports.read")
        let read = try #require(StoredClient(serialized: client.serialized))
        #expect(read.serialized == client.serialized && read.secret == client.secret)
        #expect(try #require(StoredClient(serialized: Self.client.serialized)).token == nil)
        #expect(StoredClient(serialized: Array("{}".utf8))?.clientID == nil)
    }

    private func session(_ server: Server) -> ClientSession {
        ClientSession(name: "ci", tokens: ClientTokens(transport: server), store: StoredClients(MemoryStore()))
    }

    @Test func `a token is asked for once while it is good, and ended with the session`() async throws {
        let server = Server(.clientSecretBasic)
        let session = session(server)
        await #expect(throws: AuthError(.signedOut, "")) { try await session.token(minimumSeconds: 60) }
        try await session.store.begin(Self.client, as: "ci")
        for _ in 0..<3 {
            let token = try await session.token(minimumSeconds: 60)
            #expect(token.text == Secret("first"))
        }
        #expect(server.asked.withLock { $0.count } == 1)
        _ = try await session.token(minimumSeconds: 3_600)
        #expect(server.asked.withLock { $0.count } == 2)
        #expect(try await session.end(force: false))
        #expect(server.revoked.withLock { $0 } == ["first"])
        #expect(try await session.end(force: false) == false)
    }

    /// Something happens once, while a token is ended.
    private final class Meanwhile: HTTPTransport {
        let server: Server
        let action: Mutex<(@Sendable () async throws(AuthError) -> Void)?>

        init(_ server: Server, _ action: @escaping @Sendable () async throws(AuthError) -> Void) {
            self.server = server
            self.action = Mutex(action)
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            let answer = try await server.send(request)
            let now = request.url.hasSuffix("/revoke") ? action.withLock { $0.take() } : nil
            try await now?()
            return answer
        }
    }

    @Test(arguments: [true, false])
    func `while a client signs out another process's token is ended too, and its sign-in stays`(
        signsIn: Bool
    ) async throws {
        let (server, store) = (Server(.clientSecretBasic), StoredClients(MemoryStore()))
        var next = Self.client
        next.method = .clientSecretBasic
        next.token = StoredClient.Token(text: Secret("second"), expiresAt: nil, scope: nil)
        let transport = Meanwhile(server) { [next] () async throws(AuthError) in
            guard !signsIn, let found = try await store.find("ci") else { return try await store.begin(next, as: "ci") }
            await store.renew(found, with: next, as: "ci")
        }
        let session = ClientSession(name: "ci", tokens: ClientTokens(transport: transport), store: store)
        try await store.begin(Self.client, as: "ci")
        _ = try await session.token(minimumSeconds: 60)
        #expect(try await session.end(force: false))
        #expect(server.revoked.withLock { $0 } == (signsIn ? ["first"] : ["first", "second"]))
        #expect(try await (store.find("ci") != nil) == signsIn)
    }

    @Test func `a token that comes after the sign-out brings nothing back`() async throws {
        let session = session(Server(.clientSecretBasic))
        try await session.store.begin(Self.client, as: "ci")
        let found = try #require(try await session.store.find("ci"))
        try await session.store.remove("ci")
        await session.store.renew(found, with: Self.client, as: "ci")
        #expect(try await session.store.find("ci")?.client.clientID == nil)
    }

    @Test(arguments: [
        ["--client-secret-file", "x"], ["--client-credentials", "--device"],
        ["--client-credentials", "--method", "otp"], ["--client-credentials", "--operator"],
        ["--client-credentials", "--fresh"], ["--client-credentials", "--connection", "acme"],
        ["--name", "job/client-credentials"],
    ])
    func `options that make no sense together are refused`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try LoginCommand.parse(arguments) }
    }

    @Test func `the secret comes from the environment, from standard input, or is asked for`() throws {
        let environment = [CredentialOptions.secretVariable: "from-the-environment"]
        let console = MethodConsole(isTerminal: false, nextLine: { "typed" })
        let plain = try CredentialOptions.parse(["--client-credentials"])
        #expect(try plain.secret(environment, console) == Secret("from-the-environment"))
        #expect(try plain.secret([:], console) == Secret("typed"))
        let piped = try CredentialOptions.parse(["--client-credentials", "--client-secret-file", "-"])
        #expect(try piped.secret(environment, console) == Secret("typed"))
        let missing = try CredentialOptions.parse(["--client-credentials", "--client-secret-file", "/none"])
        #expect(throws: CommandFailure.self) { try missing.secret(environment, console) }
    }

    @Test func `the client must be named`() async throws {
        let command = try LoginCommand.parse([
            "--client-credentials", "--issuer", Self.issuer, "--name", "nobody-\(Ambient.live.randomToken())",
        ])
        let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
        #expect(failure?.code == 2 && failure?.sentence.contains("--client-id") == true)
    }
}

@Suite("Client commands: what kind of token it is")
struct PrintedTokenTests {
    @Test func `a method's session token is told from an access token, and what cannot be read is one`() {
        let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8))
        let session = header + "." + Base64URL.encode(JSONValue.object(["drn": "DS"]).serialized) + ".AAAA"
        #expect(PrintedToken(session) == .session)
        #expect(PrintedToken(ClientCommandTests.token(audience: "a")) == .access)
        #expect(PrintedToken("opaque") == .access)
        #expect(PrintedToken.sessionMeaning("work").contains("`keyturn login --name work`"))
    }
}
