/// Bounds of what people are told about their accounts.
extension Limits {
    /// Notices of one kind to one account within ``noticeWindowSeconds``. People change the same thing a few times a day;
    /// more than that is a program, and its owner has been told ten times.
    public static let noticesOfKindMax: Int64 = 10
    /// A day.
    public static let noticeWindowSeconds: Int64 = 86_400
    /// Addresses that one notice goes to: all that a user can have, since those that were added last may be a thief's.
    public static let noticeAddressesMax = identifiersOfUserMax + 2
    /// How long a sign of a copied refresh token is shown to its user, in seconds: people look at their sessions about once
    /// a month.
    public static let copiesShownSeconds: Int64 = 30 * 86_400
}
