internal import KeyturnBase
internal import Model

/// Names that somebody registered and never proved, when their owner shows up.
extension VerificationCompletion {
    /// Takes an address that was proved out of an account that claims it, and makes its owner an account of their own.
    ///
    /// Whoever has the account proved another address, so that it is theirs; this one they only said was. Otherwise anybody
    /// could keep an address from its owner by registering it beside one of their own.
    ///
    /// - Returns: the owner's account; `nil` if somebody else took the name at the same moment.
    func release(_ address: Identifier, from account: Account, _ facts: VerificationFacts) async throws(StoreError)
        -> Account?
    {
        let now = ambient.now()
        let changed = try await stores.users.change(account.user.id, at: now) { account in
            guard account.identifiers[address] == .unverified, account.hasProvenAddress else { return }
            account.identifiers[address] = nil
            let known = address.kind == .phone ? account.phone : account.email
            guard known.flatMap(Identifier.init(loginID:)) == address else { return }
            let rest = account.identifiers.filter { $0.key.kind == address.kind && $0.value == .verified }.keys
            account.set(address.kind, rest.map(\.value).min(), isVerified: true)
        }
        guard changed.identifiers[address] == nil else { return nil }
        audit.record(AuditEvent(.identifierRemoved, at: now, userID: account.user.id, reason: address.kind.rawValue))
        var fresh = facts
        fresh.loginID = address
        let owner = NewAccount.make(fresh, proved: address, ambient: ambient)
        return try await stores.users.createUnlessTaken(owner) ? owner : nil
    }
}
