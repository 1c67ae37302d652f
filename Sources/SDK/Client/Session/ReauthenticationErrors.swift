public import KeyturnBase

extension AuthError.Code {
    /// This person has nothing to reauthenticate with; let the backend decide what they may do.
    public static let cannotReauthenticate = Self(rawValue: "sign_in.cannot_reauthenticate")
    /// A user signed in, but not the one who had to.
    public static let differentPerson = Self(rawValue: "sign_in.different_person")
}
