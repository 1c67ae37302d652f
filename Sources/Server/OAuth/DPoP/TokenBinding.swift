internal import KeyturnWire
internal import Model

/// What the tokens of one response are bound to (RFC 9449 §5).
///
/// A request with a proof gets an access token that needs one too. A client that did not register for that may ask for
/// bearer tokens with `dpop_bound_access_tokens=false` when the grant begins, so that only its refresh token is bound;
/// a client of Authgear's profile gets them always.
struct TokenBinding: Sendable {
    let proof: CheckedDPoPProof?
    /// Whether this request declines bound access tokens, and may.
    let declines: Bool
    private let isRequired: Bool
    private let isBearer: Bool

    /// - Throws: `invalid_dpop_proof` if the client is registered for bound tokens and sends no proof.
    init(_ form: FormParameters, client: Client, proof: CheckedDPoPProof?) throws(OAuthProblem) {
        isRequired = client.requiresProof
        guard proof != nil || !isRequired else {
            throw OAuthProblem(.invalidDPoPProof, "the client is registered to send a DPoP proof, and sent none")
        }
        self.proof = proof
        isBearer = client.hasBearerAccessTokens
        declines = isBearer || !isRequired && form.single("dpop_bound_access_tokens") == "false"
    }

    /// The key that the access token names; `nil`: a bearer token.
    ///
    /// - Parameter wantsBearer: the choice made when the grant began; for a client's own token, the request's.
    func accessTokenKey(wantsBearer: Bool) -> String? {
        isBearer || wantsBearer && !isRequired ? nil : proof?.keyThumbprint
    }
}
