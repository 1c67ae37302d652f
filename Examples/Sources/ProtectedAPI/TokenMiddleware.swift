import Hummingbird
import KeyturnVerify

/// Lets a request pass if it carries a good token, and answers it otherwise.
struct TokenMiddleware: RouterMiddleware {
    let verifier: CachingTokenVerifier
    let ambient: Ambient

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        do {
            let presented = try UnverifiedToken.bearer(
                authorization: request.headers[.authorization], query: request.uri.query)
            var context = context
            context.verified = try await verifier.verify(presented, at: ambient.now())
            return try await next(request, context)
        } catch let error as AuthError {
            context.logger.debug("refused", metadata: ["code": "\(error.code.rawValue)"])
            let challenge = BearerChallenge(answering: error, realm: "example")
            var headers = HTTPFields()
            headers[.wwwAuthenticate] = challenge.header
            throw HTTPError(.init(code: challenge.status), headers: headers)
        }
    }
}

/// What handlers know about a request.
struct APIContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var verified: VerifiedToken?

    init(source: Source) {
        coreContext = .init(source: source)
    }

    /// The token that the middleware accepted.
    var token: VerifiedToken {
        get throws {
            guard let verified else { throw HTTPError(.unauthorized) }
            return verified
        }
    }
}
