public import KeyturnBase

extension AuthError.Code {
    /// The client was destroyed, by itself or by one that shares its session. Make another.
    public static let clientDestroyed = Self(rawValue: "service.client_destroyed")
    /// The developer token was refused: it lives for an hour, and nothing renews it. Fetch another from the console.
    public static let developerTokenRefused = Self(rawValue: "service.developer_token_refused")
    /// The program that makes the tokens failed; the error's cause is what it said.
    public static let delegateFailed = Self(rawValue: "service.delegate_failed")
}
