internal import KeyturnWire

/// What the tokens of one answer are bound to (RFC 9449 §5).
struct TokenBinding: Sendable {
    let proof: CheckedProof?
    /// The key that the access token names; `nil`: a bearer token.
    let accessTokenKey: String?

    /// A request with a proof gets an access token that wants one too. A client that did not register for that may ask
    /// for a bearer token with `dpop_bound_access_tokens=false`, so that only its refresh token is bound.
    ///
    /// - Throws: `invalid_dpop_proof` if the client is registered for bound tokens and brings no proof.
    init(_ form: FormParameters, client: Client, proof: CheckedProof?) throws(OAuthProblem) {
        let isRequired = client.metadata.dpopBoundAccessTokens == true
        guard proof != nil || !isRequired else {
            throw OAuthProblem(.invalidDPoPProof, "the client is registered to send a DPoP proof, and sent none")
        }
        let isDeclined = TokenEndpoint.one(form, "dpop_bound_access_tokens") == "false"
        self.proof = proof
        accessTokenKey = isDeclined && !isRequired ? nil : proof?.keyThumbprint
    }

    var tokenType: String { accessTokenKey == nil ? TokenType.bearer : TokenType.dpop }
}
