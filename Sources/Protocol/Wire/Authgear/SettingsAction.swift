/// One thing that a user changes about the own account on the server's pages, at an app's request (Authgear's settings
/// actions). An open set.
public struct SettingsAction: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Another password, or the first one.
    public static let changePassword = Self(rawValue: "change_password")
    /// The end of the account.
    public static let deleteAccount = Self(rawValue: "delete_account")
    /// A code shows that an address of the account is the user's. Authgear describes it and does not serve it.
    public static let verifyEmail = Self(rawValue: "verify_email")
    /// A further address to sign in with.
    public static let addEmail = Self(rawValue: "add_email")
    /// A further number to sign in with.
    public static let addPhone = Self(rawValue: "add_phone")
    /// A further name to sign in with.
    public static let addUsername = Self(rawValue: "add_username")
    /// Another address in the place of one.
    public static let changeEmail = Self(rawValue: "change_email")
    /// Another number in the place of one.
    public static let changePhone = Self(rawValue: "change_phone")
    /// Another name in the place of one.
    public static let changeUsername = Self(rawValue: "change_username")
    /// Another provider's account signs in from now on.
    public static let linkOAuth = Self(rawValue: "link_oauth")
    /// Another provider's account signs in no more.
    public static let unlinkOAuth = Self(rawValue: "unlink_oauth")
    /// An authenticator app, and the recovery codes for its loss. This and those below are Keyturn's own.
    public static let setupTOTP = Self(rawValue: "setup_totp")
    /// The end of the authenticator app and its recovery codes.
    public static let removeTOTP = Self(rawValue: "remove_totp")
    /// New recovery codes in place of those before.
    public static let setupRecoveryCodes = Self(rawValue: "setup_recovery_codes")
    /// A further passkey.
    public static let addPasskey = Self(rawValue: "add_passkey")
    /// One passkey less.
    public static let removePasskey = Self(rawValue: "remove_passkey")
}

extension SettingsAction {
    /// `response_type` of a request for an action: what comes back is a code that proves that it was done.
    public static let responseType = "urn:authgear:params:oauth:response-type:settings-action"
    /// The parameter that names the action.
    public static let parameter = "x_settings_action"
    /// The parameter with a query of its own, which says what the action is about.
    public static let queryParameter = "x_settings_action_query"
    /// The member of that query that holds the login identifier as it is now.
    public static let loginID = "q_login_id"
    /// The parameter that names another provider.
    public static let providerParameter = "x_oauth_provider_alias"
    /// `error` of a request that the person gave up.
    public static let cancelled = "cancel"
    /// `error` of a request for an action that the operator does not offer. Keyturn's own.
    public static let unsupported = "unsupported_settings_action"
}

extension GrantType {
    /// The code of a settings action is handed in, for nothing but the knowledge that it was done.
    public static let settingsAction = Self(rawValue: "urn:authgear:params:oauth:grant-type:settings-action")
}
