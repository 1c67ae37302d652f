public import Authority

extension Grounds {
    /// The user whom the permission concerns. One that names no existing user finds none.
    public var user: UserID { UserID(rawValue: userID ?? "") }
}
