public import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire

/// How a protected resource that knows DPoP says no: a status, `WWW-Authenticate` headers and a nonce
/// (RFC 9449 §7.1, §9).
public struct DPoPChallenge: Error, Hashable, Sendable {
    /// The HTTP status to answer with.
    public let status: Int
    /// The values of `WWW-Authenticate`, one header each, the one that says most first. Empty where none belongs.
    public let headers: [String]
    /// The value of `DPoP-Nonce`; `nil` where none belongs.
    public let nonce: String?

    /// The right answer to `error`. Says nothing about the token and the proof but what the client may know.
    ///
    /// - Parameters:
    ///   - error: What ``TokenVerifier/verify(_:dpop:at:)``, a ``DPoPVerifier`` or a policy threw.
    ///   - request: The request that is answered: the answer speaks of the scheme that it used, and offers the other
    ///     (RFC 9449 §7.2).
    ///   - realm: Names what is protected. Letters, digits, spaces and simple punctuation.
    ///   - resourceMetadata: Where the resource says what it is (RFC 9728 §5.1); `nil`: nowhere.
    public init(
        answering error: AuthError, to request: ResourceRequest, realm: String? = nil, resourceMetadata: String? = nil
    ) {
        let bearer = BearerChallenge(answering: error, realm: realm, resourceMetadata: resourceMetadata)
        let plain = BearerChallenge(
            answering: AuthError(.tokenMissing, ""), realm: realm, resourceMetadata: resourceMetadata)
        status = bearer.status
        nonce = (error.cause as? DPoPNonceDemand)?.nonce
        guard let header = bearer.header, let offer = plain.header else {
            headers = []
            return
        }
        switch (error.code, request.scheme) {
        case (.dpopInvalidProof, _): headers = [Self.dpop(offer, .invalidDPoPProof)]
        case (.dpopUseNonce, _): headers = [Self.dpop(offer, .useDPoPNonce)]
        case (_, .dpop): headers = [Self.dpop(header)]
        case (_, .bearer): headers = [header, Self.dpop(offer)]
        case (_, .other): headers = [Self.dpop(header), offer]
        }
    }

    /// The header in the scheme `DPoP`, with the algorithms that proofs may be signed with.
    private static func dpop(_ bearer: String, _ code: OAuthProblem.Code? = nil) -> String {
        let known = bearer.dropFirst("Bearer".count).drop { $0 == " " }
        let algorithms = UnverifiedDPoPProof.algorithms.map(\.rawValue).joined(separator: " ")
        let error = code.map { "error=\"\($0.rawValue)\"" }
        let parameters = [known.isEmpty ? nil : String(known), error, "algs=\"\(algorithms)\""].compactMap(\.self)
        return TokenType.dpop + " " + parameters.joined(separator: ", ")
    }
}
