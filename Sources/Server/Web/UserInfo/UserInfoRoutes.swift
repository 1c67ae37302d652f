internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire

/// `GET` and `POST /oauth2/userinfo` (OpenID Connect Core §5.3, RFC 6750).
struct UserInfoRoutes: Sendable {
    let services: IdentityServices

    /// What came with a request.
    private struct Presented {
        let token: Secret
        /// Whether it came under the scheme of bound tokens (RFC 9449 §7.1).
        let isProven: Bool
    }

    @Sendable func userInfo(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let presented = try await presented(request) else {
            var headers: HTTPFields = [.cacheControl: "no-store"]
            headers.append(HTTPField(name: .wwwAuthenticate, value: TokenType.bearer))
            headers.append(HTTPField(name: .wwwAuthenticate, value: "\(TokenType.dpop) \(Self.algorithms)"))
            return Response(status: .unauthorized, headers: headers)
        }
        guard let (token, live) = try await services.inspector.personal(presented.token) else {
            return challenge(.unauthorized, .invalidToken, "the access token is not good, or no longer", presented)
        }
        do throws(OAuthProblem) {
            try prove(request, presented, token)
        } catch {
            return challenge(.unauthorized, error.code, error.description ?? "", presented)
        }
        guard token.scope.contains(Scope.openID) else {
            return challenge(.forbidden, .insufficientScope, "the access token lacks the scope openid", presented)
        }
        return .json(UserClaims.userInfo(live, scope: token.scope).serialized)
    }

    /// A bound token comes with a proof of its key, and under its own scheme: shown as a bearer's it is a copy.
    private func prove(
        _ request: Request, _ presented: Presented, _ token: PresentedAccessToken
    ) throws(OAuthProblem) {
        guard let thumbprint = token.keyThumbprint else {
            guard !presented.isProven else {
                throw OAuthProblem(.invalidToken, "the access token is not bound to a key: present it as Bearer")
            }
            return
        }
        guard presented.isProven else {
            throw OAuthProblem(.invalidToken, "the access token is bound to a key: present it with a DPoP proof")
        }
        let presentation = request.proofPresentation(services.project, Routes.userInfo)
        guard let proof = try services.proofs.proof(presentation, accessToken: presented.token) else {
            throw OAuthProblem(.invalidDPoPProof, "the DPoP proof is missing")
        }
        guard proof.keyThumbprint == thumbprint else {
            throw OAuthProblem(.invalidToken, "the access token is bound to another key")
        }
        try services.proofs.admit(proof)
    }

    /// The token from the header or from a posted form; never from the address, and never from both (RFC 6750 §2).
    private func presented(_ request: Request) async throws -> Presented? {
        var found: Presented?
        if let header = request.headers[.authorization] {
            let parts = header.split(separator: " ", maxSplits: 1)
            let scheme = parts.first?.lowercased()
            if parts.count == 2, scheme == TokenType.bearer.lowercased() || scheme == TokenType.dpop.lowercased() {
                let token = Secret(String(parts[1].drop { $0 == " " }))
                found = Presented(token: token, isProven: scheme == TokenType.dpop.lowercased())
            }
        }
        guard request.method == .post, request.headers[.contentType] != nil else { return found }
        guard let posted = try await request.formParameters().one("access_token") else { return found }
        guard found == nil else { throw OAuthProblem(.invalidRequest, "the token was sent in two places") }
        return Presented(token: Secret(posted), isProven: false)
    }

    private static let algorithms =
        "algs=\"" + UnverifiedDPoPProof.algorithms.map(\.rawValue).joined(separator: " ") + "\""

    private func challenge(
        _ status: HTTPResponse.Status, _ code: OAuthProblem.Code, _ text: String, _ presented: Presented
    ) -> Response {
        let isProofs = [.invalidDPoPProof, .useDPoPNonce].contains(code)
        let scheme = presented.isProven || isProofs ? TokenType.dpop : TokenType.bearer
        var value = "\(scheme) error=\"\(code.rawValue)\", error_description=\"\(text)\""
        if scheme == TokenType.dpop { value += ", \(Self.algorithms)" }
        let problem = Response.problem(OAuthProblem(code, text), headers: [.wwwAuthenticate: value])
        var headers = problem.headers
        if isProofs { headers[.dpopNonce] = services.proofs.nonce() }
        return Response(status: status, headers: headers, body: problem.body)
    }
}
