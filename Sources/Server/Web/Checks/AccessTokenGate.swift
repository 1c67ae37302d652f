internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model
internal import OAuth

/// What this server, as a protected resource, asks of a client that presents an access token: RFC 6750, RFC 9449 §7.
/// Its challenges name the address of its metadata (RFC 9728 §5.1).
struct AccessTokenGate: Sendable {
    let services: IdentityServices

    /// A bound token needs a DPoP proof and the scheme `DPoP`: a client that shows it as a bearer's has a copy.
    ///
    /// - Parameter path: the address that the proof must name.
    func prove(
        _ request: Request, at path: String, _ presented: ShownAccessToken, _ token: PresentedAccessToken
    ) async throws(OAuthProblem) {
        guard let thumbprint = token.keyThumbprint else {
            guard !presented.isProven else {
                throw OAuthProblem(.invalidToken, "the access token is not bound to a key: present it as Bearer")
            }
            return
        }
        guard presented.isProven else {
            throw OAuthProblem(.invalidToken, "the access token is bound to a key: present it with a DPoP proof")
        }
        let presentation = request.proofPresentation(services.project, path)
        guard let proof = try services.dpop.proof(presentation, accessToken: presented.token) else {
            throw OAuthProblem(.invalidDPoPProof, "the DPoP proof is missing")
        }
        guard proof.keyThumbprint == thumbprint else {
            throw OAuthProblem(.invalidToken, "the access token is bound to another key")
        }
        try await services.dpop.admit(proof)
    }

    /// Refuses tokens that are restricted to objects, because this server has none. Such a token is valid: a client
    /// that threw it away would come back with the same.
    func requireUnrestricted(_ token: PresentedAccessToken) throws(OAuthProblem) {
        guard token.restrictedTo == nil else {
            throw OAuthProblem(.insufficientScope, "the access token is restricted to other objects")
        }
    }

    /// The header fields of the answer to a request without a token.
    var invitation: HTTPFields {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers.append(HTTPField(name: .wwwAuthenticate, value: "\(TokenType.bearer) \(metadata)"))
        headers.append(HTTPField(name: .wwwAuthenticate, value: "\(TokenType.dpop) \(Self.algorithms), \(metadata)"))
        return headers
    }

    /// The header fields of a refusal.
    func challenge(_ problem: OAuthProblem, _ presented: ShownAccessToken) -> HTTPFields {
        let isProofs = [.invalidDPoPProof, .useDPoPNonce].contains(problem.code)
        let scheme = presented.isProven || isProofs ? TokenType.dpop : TokenType.bearer
        var value = "\(scheme) error=\"\(problem.code.rawValue)\""
        if let text = problem.description { value += ", error_description=\"\(text)\"" }
        if scheme == TokenType.dpop { value += ", \(Self.algorithms)" }
        var headers: HTTPFields = [.wwwAuthenticate: "\(value), \(metadata)"]
        if isProofs { headers[.dpopNonce] = services.dpop.nonce() }
        return headers
    }

    private var metadata: String {
        "resource_metadata=\"\(services.project.base)\(Routes.protectedResource)\""
    }

    private static let algorithms =
        "algs=\"" + UnverifiedDPoPProof.algorithms.map(\.rawValue).joined(separator: " ") + "\""
}

extension Project {
    /// The issuer without a slash at its end; addresses begin with it.
    var base: String { issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer }
}
