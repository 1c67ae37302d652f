internal import Authority
internal import KeyturnBase
internal import Model

/// Addresses that a user registered without verification, when the true owner verifies them.
extension VerificationCompletion {
    /// A proved address that is no login ID of the account is none of another one either that never proved it. A
    /// user who only follows a link may not know for which account.
    func releaseContact(_ facts: VerificationFacts, _ way: Return, of account: Account) async throws(StoreError) {
        guard let address = facts.address, account.identifiers[address] == nil,
            !way.isByLink || isByAsker(way, of: facts)
        else { return }
        try await claims.release(address, for: account.user.id)
    }

    var claims: UnprovedClaims {
        UnprovedClaims(stores: stores, rulebook: rulebook, notices: notices, audit: audit, ambient: ambient)
    }

    /// Takes a verified address out of the account that claims it, and creates an account for its owner.
    ///
    /// The user of the claiming account has verified another address, and so keeps the account. This address was only
    /// claimed. Otherwise a user could block an address by registering it beside one of their own.
    ///
    /// - Returns: the owner's account; `nil` if another user took the name at the same moment, or no account may be
    ///   opened.
    func release(_ address: Identifier, from account: Account, _ facts: VerificationFacts) async throws(StoreError)
        -> Account?
    {
        let now = ambient.now()
        let allowed = try rulebook.changePermission(
            .releaseAddress, to: .anonymous, on: account.subject, showing: .addressProof)
        let changed = try await stores.users.change(by: allowed, at: now) { account in
            account.release(address)
        }
        guard changed.identifiers[address] == nil else { return nil }
        audit.record(
            AuditEvent(
                .identifierRemoved, at: now, userID: account.user.id, reason: address.kind.rawValue,
                changes: .between(account, changed, ambient)))
        await notices.send(.addressRemoved(address), to: account, from: .unknown, at: now)
        var fresh = facts
        fresh.loginID = address
        guard let permission = try await signUp.permit(.anonymous, proving: address) else { return nil }
        let owner = NewAccount.make(fresh, proved: address, by: permission, ambient: ambient)
        return try await stores.users.createUnlessTaken(owner, by: permission) ? owner : nil
    }
}
