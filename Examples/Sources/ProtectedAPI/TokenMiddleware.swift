import HTTPTypes
import Hummingbird
import KeyturnVerify

/// Lets a request pass if it carries a good token, bound to its sender or not, and answers it otherwise.
struct TokenMiddleware: RouterMiddleware {
    let verifier: TokenVerifier
    let dpop: DPoPVerifier
    let resource: ProtectedResource
    /// Where clients reach this API. Never taken from the request, where anybody may write anything.
    let address: String
    let ambient: Ambient

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let presented = ResourceRequest(
            authorization: request.headers[.authorization], proofs: request.headers[values: .dpop],
            method: request.method.rawValue, url: address + request.uri.string)
        do {
            var context = context
            context.verified = try await verifier.verify(presented, dpop: dpop, at: ambient.now())
            return try await next(request, context)
        } catch let error as AuthError {
            context.logger.debug("refused", metadata: ["code": "\(error.code.rawValue)"])
            let challenge = DPoPChallenge(
                answering: error, to: presented, realm: "example", resourceMetadata: resource.address)
            var headers = HTTPFields()
            headers[values: .wwwAuthenticate] = challenge.headers
            headers[.dpopNonce] = challenge.nonce
            throw HTTPError(.init(code: challenge.status), headers: headers)
        }
    }
}

extension HTTPField.Name {
    /// The proof that goes with a bound token (RFC 9449 §4.1).
    static let dpop = make("DPoP")
    /// What the next proof must hold (RFC 9449 §8.2).
    static let dpopNonce = make("DPoP-Nonce")

    private static func make(_ name: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(name) else { preconditionFailure("a name of RFC 9110 §5.6.2") }
        return name
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
