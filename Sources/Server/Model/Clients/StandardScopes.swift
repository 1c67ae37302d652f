public import KeyturnWire

extension Scope {
    /// What every client may ask for, beside what it registered.
    public static let standard = [Scope.openID] + StandardClaims.scopes + [Scope.offlineAccess]
}
