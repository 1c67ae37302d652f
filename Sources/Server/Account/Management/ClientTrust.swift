internal import KeyturnWire
internal import Model

/// Which changes of clients are an owner's: users are not asked whether a first-party client may have their tokens, and a
/// client with the scope of the management interface acts for operators.
extension Client {
    /// Whether an operator's token that it got opens the management interface. Only what is written out counts: a client
    /// without a scope of its own opens nothing there.
    var opensManagement: Bool { scope?.contains(Scope.management) == true }
}

extension ClientDraft {
    /// Whether only an owner may save it.
    ///
    /// - Parameter present: what it replaces; `nil`: it is new.
    func needsOwner(over present: Client?) -> Bool {
        let asksManagement = scope.flatMap(Scope.init)?.contains(Scope.management) == true
        guard let present else { return isFirstParty || asksManagement }
        if asksManagement, !present.opensManagement { return true }
        guard present.isFirstParty || asksManagement else { return false }
        let metadata = present.metadata
        return !Set(redirectURIs).isSubset(of: metadata.redirectURIs ?? [])
            || !Set(grantTypes).isSubset(of: ClientDraft(present).grantTypes)
    }
}
