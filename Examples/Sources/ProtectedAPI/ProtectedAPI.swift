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

    func run() async throws {
        let verifier = TokenVerifier(
            issuer: issuer, audience: audience ?? issuer, keys: KeySet(issuer: issuer))

        let router = Router(context: APIContext.self)
        router.add(middleware: TokenMiddleware(verifier: CachingTokenVerifier(verifier), ambient: .live))
        router.get("me", use: Self.me)
        router.get("admin", use: Self.admin)

        let parts = listen.split(separator: ":")
        guard parts.count == 2, let port = Int(parts[1]) else { throw ValidationError("--listen is HOST:PORT") }
        let application = Application(
            router: router, configuration: .init(address: .hostname(String(parts[0]), port: port)))
        try await application.runService()
    }

    struct Me: ResponseEncodable {
        let subject: String
        let scopes: [String]
    }

    /// Whoever has a valid token may know who they are.
    @Sendable static func me(_ request: Request, _ context: APIContext) throws -> Me {
        let token = try context.token
        return Me(subject: token.subject, scopes: token.scope.names)
    }

    /// What matters more needs a sign-in of the last five minutes. Otherwise the client learns what to ask for.
    @Sendable static func admin(_ request: Request, _ context: APIContext) throws -> String {
        try context.token.require(FreshnessPolicy(maxAgeSeconds: 300), at: Ambient.live.now())
        return "Welcome. You signed in just now.\n"
    }
}
