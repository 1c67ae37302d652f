import ArgumentParser
import Hummingbird
import KeyturnVerify

/// An API that only people with a token of one issuer may use.
@main
struct ProtectedAPI: AsyncParsableCommand {
    @Option(help: "Whose tokens are accepted, exactly as the server spells it.")
    var issuer = "http://127.0.0.1:8080"

    @Option(help: "The name by which tokens are meant for this API (aud). Default: the issuer.")
    var audience: String?

    @Option(help: "Where to listen; port 0 picks a free one.")
    var listen = "127.0.0.1:9090"

    @Option(help: "This API's address as its clients know it. Default: where it listens.")
    var address: String?

    @Option(help: "The client whose backchannel_logout_uri is /logged-out here: its signed-out sessions are refused.")
    var logoutClient: String?

    @Option(help: "What a token must allow to read a file.")
    var filesScope = "profile"

    func run() async throws {
        let parts = listen.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { throw ValidationError("--listen is HOST:PORT") }
        let address = address ?? "http://\(listen)"
        let resource = ProtectedResource(
            resource: address, authorizationServers: [issuer], scopes: ["openid", filesScope])

        let keys = KeySet(issuer: issuer)
        let revocations = SessionRevocations()
        let everything = TokenVerifier(
            issuer: issuer, audience: audience ?? issuer, keys: keys, revocations: revocations)
        // For the files alone: there, each request asks for its object.
        let singleObjects = TokenVerifier(
            issuer: issuer, audience: audience ?? issuer, keys: keys, acceptsRestrictedTokens: true,
            revocations: revocations)
        let dpop = DPoPVerifier(ambient: .live)
        func middleware(_ verifier: TokenVerifier) -> TokenMiddleware {
            TokenMiddleware(verifier: verifier, dpop: dpop, resource: resource, address: address, ambient: .live)
        }

        let router = Router(context: APIContext.self)
        router.get(".well-known/oauth-protected-resource") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(bytes: resource.document)))
        }
        if let logoutClient {
            let logout = Logout(
                verifier: LogoutTokenVerifier(issuer: issuer, clientID: logoutClient, keys: keys),
                revocations: revocations, ambient: .live)
            router.post("logged-out", use: logout.answer)
        }
        router.group().add(middleware: middleware(everything))
            .get("me", use: Self.me)
            .get("admin", use: Self.admin)
            .get("vault", use: Self.vault)
        let readingFiles = Scope(names: [filesScope])
        router.group("files").add(middleware: middleware(singleObjects))
            .get("{id}") { _, context in
                let id = try context.parameters.require("id")
                try context.token.require(object: "\(address)/files/\(id)", scope: readingFiles)
                return "This is file \(id).\n"
            }

        let application = Application(
            router: router, configuration: .init(address: .hostname(String(parts[0]), port: port)))
        try await application.runService()
    }

    struct Me: ResponseEncodable {
        let subject: String
        let scopes: [String]
        /// Who acts for the subject, whoever acts now first.
        let actors: [String]
    }

    /// Whoever has a valid token may know who they are, and in whose hands the token is.
    @Sendable static func me(_ request: Request, _ context: APIContext) throws -> Me {
        let token = try context.token
        return Me(subject: token.subject, scopes: token.scope.names, actors: token.actors.map(\.subject))
    }

    /// What matters more needs a sign-in of the last five minutes. Otherwise the client learns what to ask for.
    @Sendable static func admin(_ request: Request, _ context: APIContext) throws -> String {
        try context.token.require(FreshnessPolicy(maxAgeSeconds: 300), at: Ambient.live.now())
        return "Welcome. You signed in just now.\n"
    }

    /// What matters most needs a strong sign-in as well, and nobody who acts for somebody else.
    @Sendable static func vault(_ request: Request, _ context: APIContext) throws -> String {
        let token = try context.token
        let policy = FreshnessPolicy(maxAgeSeconds: 300, acrValues: ["urn:keyturn:acr:mfa"])
        try token.require(policy, at: Ambient.live.now())
        guard token.actor == nil else { throw HTTPError(.forbidden) }
        return "Here is the treasure.\n"
    }
}
