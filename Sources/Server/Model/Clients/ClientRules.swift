internal import KeyturnWire

/// What follows for requests from how a client is registered.
extension Client {
    /// Whether it must hand in its authorization requests beforehand (RFC 9126 §6, FAPI 2.0 §5.3.2.2).
    package var requiresPushedRequests: Bool {
        metadata.requirePushedAuthorizationRequests == true || profile == .fapi2
    }

    /// Whether it must sign its authorization requests (RFC 9101 §10.5): without that, whoever changes a signed one sends it
    /// unsigned.
    package var requiresSignedRequests: Bool { metadata.requireSignedRequestObject == true }

    /// Whether every token of its must be bound to a key (RFC 9449 §5.2, FAPI 2.0 §5.3.2.1).
    package var requiresProof: Bool { metadata.dpopBoundAccessTokens == true || profile == .fapi2 }

    /// Whether a code of its needs a challenge (RFC 9700 §2.1.1, FAPI 2.0 §5.3.2.2).
    package var requiresChallenge: Bool { isPublic || profile == .fapi2 }

    /// Whether its refresh tokens are worth nothing without its key. Those of a client that authenticates are worth nothing
    /// without that; FAPI asks for both.
    package var bindsGrants: Bool { isPublic || profile == .fapi2 }

    /// Whether its refresh token stays good when it was used. Only for the operator's own apps that have no secret: a copy
    /// that somebody made is not noticed, so that whoever holds it must keep it sealed.
    package var reusesRefreshTokens: Bool { profile == .tim && isPublic && isFirstParty }

    /// Whether its access tokens are bearer tokens although it proves a key, which then binds its refresh tokens alone.
    package var hasBearerAccessTokens: Bool { profile == .authgear && !requiresProof }

    /// Whether it proves its key without nonces, and cannot be asked for one.
    package var provesWithoutNonce: Bool { profile == .authgear }

    /// Whether a sign-in without `offline_access` brings it no refresh token (OpenID Connect Core §11).
    package var refreshesOfflineOnly: Bool { profile == .authgear }

    /// Whether it gives tokens back without saying who it is: it has no secret, so its name proves nothing.
    package var revokesByTokenAlone: Bool { profile == .authgear && isPublic }

    /// Whether UserInfo and ID tokens tell it what Authgear's SDK decodes.
    public var readsAuthgearClaims: Bool { profile == .authgear }

    /// Whether a sign-in that proves a session's person again is written into that session.
    package var reauthenticatesSessions: Bool { profile == .authgear }

    /// How long an assertion that it hands in for a token may be good, in seconds.
    package var assertionLifetimeSeconds: Int64 { assertionSeconds ?? Limits.grantAssertionSeconds }

    /// Whether its assertions name the issuer alone, as one string (FAPI 2.0 §5.3.2.1), and its request objects have `iss`
    /// and `exp`.
    package var requiresStrictAssertions: Bool { strictAssertions || profile == .fapi2 }

    /// The registered redirect URI that an address is an instance of; they differ in the port of a loopback address
    /// alone (RFC 8252 §7.3).
    package func registeredURI(of redirectURI: String) -> String? {
        let anyPort = isPublic || metadata.applicationType == "native"
        return metadata.redirectURIs?.first {
            RedirectURI.isRegistered(redirectURI, among: [$0], anyLoopbackPort: anyPort)
        }
    }

    /// Whether it registered itself, and nobody looked (RFC 9700 §4.11.2, RFC 7591 §5).
    public var isUnverified: Bool { registration != nil }
}
