public import KeyturnBase

/// A successful answer of the token endpoint (RFC 6749 §5.1; `id_token`: OpenID Connect Core §3.1.3.3).
///
/// Unknown members are ignored, as §5.1 demands. A missing `access_token` or `token_type` fails decoding.
public struct TokenResponse: Codable, Hashable, Sendable {
    /// `access_token`.
    public var accessToken: String
    /// `Bearer` or `DPoP`; compare without regard to case.
    public var tokenType: String
    /// Lifetime in seconds from the moment of issue. `nil`: the server did not say.
    public var expiresInSeconds: Int64?
    /// `refresh_token`; `nil` if none was issued.
    public var refreshToken: String?
    /// `id_token`; `nil` without the scope `openid`.
    public var idToken: String?
    /// Space-separated. `nil` means exactly what was asked for.
    public var scope: String?
    /// The key that the refresh token was bound to (RFC 7800 §3). An addition of ours: with it a client knows that a
    /// bearer token came with a bound refresh token.
    public var refreshTokenConfirmation: KeyConfirmation?
    /// What ``accessToken`` is, in the answer to a token exchange (RFC 8693 §2.2.1).
    public var issuedTokenType: String?
    /// The objects that it is restricted to, as JSON (Box); see ``RestrictedObject``. Empty: it is not.
    public var restrictedTo: [JSONValue]?
    /// What was granted in detail (RFC 9396 §7).
    public var authorizationDetails: [JSONValue]?
    /// What other apps of the same vendor on this device sign in with (OpenID Connect Native SSO §3.4).
    public var deviceSecret: String?

    /// An answer; what is left out is not in it.
    public init(
        accessToken: String, tokenType: String, expiresInSeconds: Int64? = nil, refreshToken: String? = nil,
        idToken: String? = nil, scope: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresInSeconds = expiresInSeconds
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scope = scope
    }

    public enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresInSeconds = "expires_in"
        case refreshToken = "refresh_token"
        case idToken = "id_token"
        case scope
        case refreshTokenConfirmation = "cnf"
        case issuedTokenType = "issued_token_type"
        case restrictedTo = "restricted_to"
        case authorizationDetails = "authorization_details"
        case deviceSecret = "device_secret"
    }
}

/// What a token is bound to (RFC 7800 §3.1).
public struct KeyConfirmation: Codable, Hashable, Sendable {
    /// The RFC 7638 thumbprint of a key, in base64url (RFC 9449 §6.1).
    public var keyThumbprint: String?

    /// A confirmation of this key's thumbprint (RFC 7638).
    public init(keyThumbprint: String?) {
        self.keyThumbprint = keyThumbprint
    }

    public enum CodingKeys: String, CodingKey {
        case keyThumbprint = "jkt"
    }
}

extension TokenResponse: CustomStringConvertible {
    /// Names what it holds without showing any of it.
    public var description: String {
        "TokenResponse(\(tokenType)\(refreshToken == nil ? "" : ", refresh token")\(idToken == nil ? "" : ", ID token"))"
    }
}
