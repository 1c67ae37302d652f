internal import KeyturnWire

/// What follows for requests from how a client is registered.
extension Client {
    /// Whether it must hand in its authorization requests beforehand (RFC 9126 §6, FAPI 2.0 §5.3.2.2).
    var requiresPushedRequests: Bool {
        metadata.requirePushedAuthorizationRequests == true || profile == .fapi2
    }

    /// Whether it must sign its authorization requests (RFC 9101 §10.5): without that, whoever changes a signed one sends it
    /// unsigned.
    var requiresSignedRequests: Bool { metadata.requireSignedRequestObject == true }

    /// Whether every token of its must be bound to a key (RFC 9449 §5.2, FAPI 2.0 §5.3.2.1).
    var requiresProof: Bool { metadata.dpopBoundAccessTokens == true || profile == .fapi2 }

    /// Whether a code of its needs a challenge (RFC 9700 §2.1.1, FAPI 2.0 §5.3.2.2).
    var requiresChallenge: Bool { isPublic || profile == .fapi2 }

    /// Whether its refresh tokens are worth nothing without its key. Those of a client that authenticates are worth nothing
    /// without that; FAPI asks for both.
    var bindsGrants: Bool { isPublic || profile == .fapi2 }

    /// Whether its refresh token stays good when it was used. Only for the operator's own apps that have no secret: a copy
    /// that somebody made is not noticed, so that whoever holds it must keep it sealed.
    var reusesRefreshTokens: Bool { profile == .tim && isPublic && isFirstParty }

    /// Whether it registered itself, and nobody looked (RFC 9700 §4.11.2, RFC 7591 §5).
    public var isUnverified: Bool { registration != nil }
}
