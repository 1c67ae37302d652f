extension SessionRecord {
    /// Whether a verified ID token names the user whom the session's own names: by the same `sub`, and at a provider
    /// with many tenants by the same issuer, for a `sub` is then unique in its tenant alone.
    func isOfUser(named token: IDToken) -> Bool {
        guard let own = idToken, own.subject == token.subject else { return false }
        return !hasTenants || own.issuer == token.issuer
    }

    /// Whether the session is of a provider with many tenants.
    var hasTenants: Bool { Service.namesTenants(serviceDetails) }
}
