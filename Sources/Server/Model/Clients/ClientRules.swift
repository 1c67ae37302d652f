internal import KeyturnWire

/// Rules for requests that follow from a client's registration.
extension Client {
    /// Whether it must push its authorization requests (RFC 9126 §6, FAPI 2.0 §5.3.2.2).
    package var requiresPushedRequests: Bool {
        metadata.requirePushedAuthorizationRequests == true || profile == .fapi2
    }

    /// Whether it must sign its authorization requests (RFC 9101 §10.5): else an attacker could send a changed one
    /// unsigned.
    package var requiresSignedRequests: Bool { metadata.requireSignedRequestObject == true }

    /// Whether all its tokens must be bound to a key (RFC 9449 §5.2, FAPI 2.0 §5.3.2.1).
    package var requiresProof: Bool { metadata.dpopBoundAccessTokens == true || profile == .fapi2 }

    /// Whether its codes need a challenge (RFC 9700 §2.1.1, FAPI 2.0 §5.3.2.2).
    package var requiresChallenge: Bool { isPublic || profile == .fapi2 }

    /// Whether its refresh tokens are refused without its key. Those of a client that authenticates are refused without
    /// authentication; FAPI asks for both.
    package var bindsGrants: Bool { isPublic || profile == .fapi2 }

    /// Whether its refresh token stays valid after use. Only for the operator's own apps that have no secret: a copy is
    /// not noticed, so that the app must keep it sealed.
    package var reusesRefreshTokens: Bool { profile == .tim && isPublic && isFirstParty }

    /// Whether its access tokens are bearer tokens although it proves a key, which then binds only its refresh tokens.
    package var hasBearerAccessTokens: Bool { profile == .authgear && !requiresProof }

    /// Whether it proves its key without nonces, and cannot be asked for one.
    package var provesWithoutNonce: Bool { profile == .authgear }

    /// Whether a sign-in without `offline_access` gives it no refresh token (OpenID Connect Core §11).
    package var refreshesOfflineOnly: Bool { profile == .authgear }

    /// Whether it revokes tokens without authentication: it has no secret, so its name proves nothing.
    package var revokesByTokenAlone: Bool { profile == .authgear && isPublic }

    /// Whether UserInfo and ID tokens hold the claims that Authgear's SDK decodes.
    public var readsAuthgearClaims: Bool { profile == .authgear }

    /// Whether a reauthentication of a session's user updates that session.
    package var reauthenticatesSessions: Bool { profile == .authgear }

    /// Where it hears of decisions about its backchannel requests; `nil`: it polls (OpenID Connect CIBA Core §4).
    package var notificationEndpoint: String? {
        metadata.backchannelTokenDeliveryMode == "ping" ? metadata.backchannelClientNotificationEndpoint : nil
    }

    /// The longest lifetime of an assertion it presents for a token, in seconds.
    package var assertionLifetimeSeconds: Int64 { assertionSeconds ?? Limits.grantAssertionSeconds }

    /// Whether its assertions name the issuer alone, as one string (FAPI 2.0 §5.3.2.1), and its request objects have
    /// `iss` and `exp`.
    package var requiresStrictAssertions: Bool { strictAssertions || profile == .fapi2 }

    /// The registered redirect URI that an address matches; only the port of a loopback address may differ (RFC 8252
    /// §7.3).
    package func registeredURI(of redirectURI: String) -> String? {
        let anyPort = isPublic || metadata.applicationType == "native"
        return metadata.redirectURIs?.first {
            RedirectURI.isRegistered(redirectURI, among: [$0], anyLoopbackPort: anyPort)
        }
    }

    /// Whether it registered itself, unchecked by the operator (RFC 9700 §4.11.2, RFC 7591 §5).
    public var isUnverified: Bool { registration != nil }
}
