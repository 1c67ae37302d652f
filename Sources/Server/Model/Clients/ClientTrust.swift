internal import KeyturnWire

/// Which changes of clients are an owner's: users are not asked whether a first-party client may have their tokens, a
/// client with the scope of the management interface acts for operators, and one that may impersonate acts for users.
extension Client {
    /// Whether an operator's token that it got opens the management interface. Only what is written out counts: a client
    /// without a scope of its own opens nothing there.
    public var opensManagement: Bool { scope?.contains(Scope.management) == true }

    /// Whether users are not asked what it may do for them: only an owner removes it, so that its name stays what it is.
    public var isOwn: Bool { isFirstParty || !mayImpersonate.isEmpty }

    /// Whether only an owner may save it.
    ///
    /// - Parameter present: what it replaces; `nil`: it is new.
    public func needsOwner(over present: Client?) -> Bool {
        guard let present else { return isFirstParty || opensManagement }
        if isTrusted(beyond: present) { return true }
        let acts = !mayImpersonate.isEmpty
        if present.opensManagement || acts, !isSubset(secretDigests, of: present.secretDigests) { return true }
        guard isFirstParty || opensManagement || acts else { return false }
        // Its users are not asked.
        if isFirstParty || acts, !permittedScope.isSubset(of: present.permittedScope) { return true }
        return !isSubset(metadata.redirectURIs ?? [], of: present.metadata.redirectURIs ?? [])
            || !isSubset(
                metadata.postLogoutRedirectURIs ?? [], of: present.metadata.postLogoutRedirectURIs ?? [])
            || !isSubset(grantTypes, of: present.grantTypes)
    }

    /// Whether it may do without asking users, or as other users, what this one may not.
    public func isTrusted(beyond present: Client) -> Bool {
        opensManagement && !present.opensManagement || isFirstParty && !present.isFirstParty
            || !isSubset(mayImpersonate, of: present.mayImpersonate)
    }

    /// Whether it is another client than one of its name: the file's, and trusted with more than one that others made.
    public func replaces(_ present: Client) -> Bool {
        isFromConfiguration && (!present.isFromConfiguration || present.wasOthers)
            && (isTrusted(beyond: present) || hears(beyond: present))
    }

    /// Whether it is told what this one is not.
    private func hears(beyond present: Client) -> Bool {
        !idTokenClaims.isSubset(of: present.idTokenClaims) || !userinfoClaims.isSubset(of: present.userinfoClaims)
            || hearsUnverifiedContacts && !present.hearsUnverifiedContacts
    }

    /// Those that it may use; `authorization_code` unless registered otherwise (RFC 7591 §2).
    private var grantTypes: [String] { metadata.grantTypes ?? [GrantType.authorizationCode.rawValue] }

    private func isSubset<Element: Hashable>(_ one: [Element], of other: [Element]) -> Bool {
        Set(one).isSubset(of: other)
    }
}
