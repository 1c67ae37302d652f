/// Bounds of notices to users about their accounts.
extension Limits {
    /// Notices of one kind to one account within ``noticeWindowSeconds``. A user changes the same thing a few times a
    /// day; more than that is a program, and the owner has been told ten times.
    public static let noticesOfKindMax: Int64 = 10
    /// A day.
    public static let noticeWindowSeconds: Int64 = 86_400
    /// Addresses that one notice goes to: all that a user can have, since the newest may be an attacker's.
    public static let noticeAddressesMax = identifiersOfUserMax + 2
    /// How long a sign of a copied refresh token is shown to its user, in seconds: users look at their sessions about
    /// once a month.
    public static let copiesShownSeconds: Int64 = 30 * 86_400
}
