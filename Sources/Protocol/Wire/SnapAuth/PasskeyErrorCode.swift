/// A code of the passkey service: why it refused. Services may invent more: keep a `default` branch.
public struct PasskeyErrorCode: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }
}

extension PasskeyErrorCode {
    /// No such id or username. Only services that do not hide who has an account say so.
    public static let authenticatingUserAccountNotFound: Self = "AuthenticatingUserAccountNotFound"
    /// What the request refers to does not exist.
    public static let entityNotFound: Self = "EntityNotFound"
    /// The `Authorization` header is missing or malformed, or the key stands in the wrong place.
    public static let invalidAuthorizationHeader: Self = "InvalidAuthorizationHeader"
    /// A member is missing, has the wrong type, or breaks a rule.
    public static let invalidInput: Self = "InvalidInput"
    /// The key may not make this call.
    public static let permissionViolation: Self = "PermissionViolation"
    /// No site has this publishable key.
    public static let publishableKeyNotFound: Self = "PublishableKeyNotFound"
    /// The plan allows no more users.
    public static let registeredUserLimitReached: Self = "RegisteredUserLimitReached"
    /// The secret key has expired.
    public static let secretKeyExpired: Self = "SecretKeyExpired"
    /// No site has this secret key.
    public static let secretKeyNotFound: Self = "SecretKeyNotFound"
    /// The token was redeemed too late.
    public static let tokenExpired: Self = "TokenExpired"
    /// The token is unknown, was redeemed before, or is of the other kind.
    public static let tokenNotFound: Self = "TokenNotFound"
    /// The user has another username already.
    public static let usernameCannotChange: Self = "UsernameCannotChange"
    /// Another user has that username.
    public static let usernameInUseByDifferentAccount: Self = "UsernameInUseByDifferentAccount"
    /// The credential was deactivated.
    public static let usingDeactivatedCredential: Self = "UsingDeactivatedCredential"

    /// The network asked too often: `Retry-After` says how many seconds to wait. Our addition.
    public static let tooManyRequests: Self = "TooManyRequests"

    /// The credential is registered already, or stands twice in an import. Our addition.
    public static let credentialAlreadyRegistered: Self = "CredentialAlreadyRegistered"

    /// All codes that the service documents.
    public static let known: [PasskeyErrorCode] = [
        .authenticatingUserAccountNotFound, .entityNotFound, .invalidAuthorizationHeader, .invalidInput,
        .permissionViolation, .publishableKeyNotFound, .registeredUserLimitReached, .secretKeyExpired,
        .secretKeyNotFound, .tokenExpired, .tokenNotFound, .usernameCannotChange, .usernameInUseByDifferentAccount,
        .usingDeactivatedCredential,
    ]
}

/// Warnings, which stand beside a result. All are our additions.
extension PasskeyErrorCode {
    /// The client, as `X-SDK` names it, is older than the wire that the service speaks.
    public static let clientOutdated: Self = "ClientOutdated"
    /// The path is the one of an older generation of clients.
    public static let routeDeprecated: Self = "RouteDeprecated"
    /// A member has the name of an older generation of clients.
    public static let fieldDeprecated: Self = "FieldDeprecated"
    /// A member was not read, because another one counts.
    public static let fieldIgnored: Self = "FieldIgnored"
    /// The page was served over http, which works on the developer's machine alone.
    public static let originInsecure: Self = "OriginInsecure"
    /// The secret key is being replaced by another one.
    public static let secretKeyOutdated: Self = "SecretKeyOutdated"
}
