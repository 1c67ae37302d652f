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
}

extension SettingsAction {
    /// `response_type` of a request for an action: what comes back is a code that proves that it was done.
    public static let responseType = "urn:authgear:params:oauth:response-type:settings-action"
    /// The parameter that names the action.
    public static let parameter = "x_settings_action"
    /// `error` of a request that the person gave up.
    public static let cancelled = "cancel"
}

extension GrantType {
    /// The code of a settings action is handed in, for nothing but the knowledge that it was done.
    public static let settingsAction = Self(rawValue: "urn:authgear:params:oauth:grant-type:settings-action")
}
