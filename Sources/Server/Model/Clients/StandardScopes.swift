public import KeyturnWire

extension Scope {
    /// The scopes that every client may ask for, beside those it registered.
    public static let standard = [Scope.openID] + StandardClaims.scopes + [Scope.offlineAccess]
}
