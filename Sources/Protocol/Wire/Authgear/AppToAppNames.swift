internal import KeyturnBase

/// Names of the wire by which one app signs another one in (Authgear's app-to-app).
public enum AppToAppNames {
    /// `typ` of the signed request.
    public static let requestType = "vnd.authgear.app2app-request"
    /// Its `action`.
    public static let action = "setup"
    /// The form's parameter, at the redemption of a code, with the signed request that binds the device's key.
    public static let deviceKey = "x_app2app_device_key_jwt"
    /// `error` with which an app declines unless it says another one.
    public static let rejected = "x_app2app_rejected"
}

extension ChallengeRequest.Purpose {
    /// A request of an app's key that signs another app in.
    public static let appToAppRequest = Self(rawValue: "app2app_request")
}
