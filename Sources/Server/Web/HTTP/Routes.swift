internal import KeyturnWire

/// Addresses that several folders use.
enum Routes {
    static let authorize = "/oauth2/authorize"
    static let token = "/oauth2/token"
    static let userInfo = "/oauth2/userinfo"
    static let introspect = "/oauth2/introspect"
    static let revoke = "/oauth2/revoke"
    static let keys = "/oauth2/jwks"
    static let deviceAuthorization = "/oauth2/device_authorization"
    static let backchannelAuthentication = "/oauth2/bc-authorize"
    static let approvals = "/v1/approvals"
    static let challenge = "/oauth2/challenge"
    static let appSessionToken = "/oauth2/app_session_token"
    static let anonymousSignUp = "/api/anonymous_user/signup"
    static let promotionCode = "/api/anonymous_user/promotion_code"
    static let pushedRequests = "/oauth2/par"
    static let registration = "/oauth2/register"
    static let endSession = "/oauth2/end_session"
    static let openIDConfiguration = "/.well-known/openid-configuration"
    static let protectedResource = "/.well-known/oauth-protected-resource"
    static let serverMetadata = "/.well-known/oauth-authorization-server"

    static let login = "/login"
    static let signUp = "/signup"
    static let consent = "/consent"
    static let continuation = "/continue"
    static let promotion = "/promotion"
    static let device = "/device"
    static let flowEnd = "/flow/end"
    static let flowResult = "/flow/result"
    static let flowHandoff = "/flow/provider"
    static let flowCancelled = "/flow/cancelled"
    static let outbox = "/dev/outbox"
    static let theme = "/dev/theme"
    static let settings = "/settings"
    static let settingsIdentifiers = "/settings/identifiers"
    static let settingsConnections = "/settings/connections"
    static let settingsAuthenticators = "/settings/authenticators"
    static let settingsPasskeys = "/settings/passkeys"
    static let settingsPassword = "/settings/password"
    static let settingsSessions = "/settings/sessions"
    static let settingsApprovals = "/settings/approvals"
    static let settingsDelete = "/settings/delete"
    /// The prefix of Box's interface.
    static let box = "/2.0/"

    /// Whether an address is one of the settings.
    static func isOfSettings(_ path: String) -> Bool { path == settings || path.hasPrefix(settings + "/") }

    /// The page of a flow from which a user leaves for a provider.
    static func handoff(to connection: String, _ sealed: String, loginHint: String?) -> String {
        var query = FormParameters(["transaction": sealed, "connection": connection])
        query.append("hint", loginHint)
        return "\(flowHandoff)?\(query.encoded)"
    }

    /// The page of the settings where a user can do an action.
    static func settings(_ action: SettingsAction) -> String {
        switch action {
        case .changePassword: settingsPassword
        case .deleteAccount: settingsDelete
        case .verifyEmail, .addEmail, .addPhone, .addUsername, .changeEmail, .changePhone, .changeUsername:
            settingsIdentifiers
        case .linkOAuth, .unlinkOAuth: settingsConnections
        case .setupTOTP, .removeTOTP, .setupRecoveryCodes: settingsAuthenticators
        case .addPasskey, .removePasskey: settingsPasskeys
        default: settings
        }
    }
}
