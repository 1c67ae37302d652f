public import KeyturnBase

/// Why a session of another library was not taken over; with the change ``SessionChange/Reason/notImported``. Its items
/// are left alone.
extension AuthError.Code {
    /// The item is there, and is not what that library writes.
    public static let importDamaged = Self(rawValue: "import.damaged")
    /// There are tokens that cannot be renewed: they were no user's session.
    public static let importNotRenewable = Self(rawValue: "import.not_renewable")
    /// The session is bound to a key of that library, without which it is worth nothing. The way back is a sign-in.
    public static let importKeyBound = Self(rawValue: "import.key_bound")
}
