public import KeyturnBase

extension AuthError.Code {
    /// What the caller gave cannot be sent: it is empty, or belongs somewhere else. Nothing was sent.
    public static let invalidArgument = Self(rawValue: "argument.invalid")
}
