internal import KeyturnBase

/// Merges two accounts of one user, when a verified address turns out to belong to the other.
public enum UserMerge {
    /// Which of the two stays.
    public enum Kept: Hashable, Sendable {
        /// The asking account. The other one is removed.
        case asking
        /// The account that had the address. The asking one is removed, and its sessions with it.
        case existing
    }

    /// What a store writes, in one transaction.
    public struct Plan: Hashable, Sendable {
        /// The account that stays, after the merge.
        public var account: Account
        /// The account that is removed; its access keys and data keys go to the one that stays.
        public let removed: UserID
        /// The former password is removed, and all sessions of the user end.
        public let voidsPassword: Bool
    }

    /// Plans the merge; `nil` if it is not allowed. Only a user who may sign in brings anything along, and only to one
    /// who may, or was invited.
    ///
    /// - Parameter isAskedBySession: whether a session of the asking account asks. Else it is an operator's word, and the
    ///   account counts as a stranger's, with its addresses, unless one of them was proved.
    public static func plan(
        asking: Account, existing: Account, proved identifier: Identifier, keeping kept: Kept,
        isAskedBySession: Bool = true
    ) -> Plan? {
        var asking = asking
        if !isAskedBySession, !asking.hasProvenAddress { asking.forgetAddresses() }
        guard asking.user.status == .active, [.active, .invited].contains(existing.user.status) else { return nil }
        let account = merge(asking: asking, existing: existing, proved: identifier, keeping: kept)
        return Plan(
            account: account, removed: kept == .asking ? existing.user.id : asking.user.id,
            voidsPassword: kept == .existing && account.passwordHash == nil && existing.passwordHash != nil)
    }

    /// The account that stays, with everything that may be taken over.
    ///
    /// The asking account has a session, so its user is authenticated. The one that had the address may be an
    /// attacker's, who only claimed it: unless the address was verified there, its password is removed and its other
    /// identifiers are not trusted. A password is never carried from one account to another.
    public static func merge(
        asking: Account, existing: Account, proved identifier: Identifier, keeping kept: Kept
    ) -> Account {
        let isTrusted = existing.identifiers[identifier] == .verified
        var existing = existing
        if !isTrusted {
            existing.passwordHash = nil
            existing.identifiers = existing.identifiers.filter { $0.value == .verified }
            existing.memberships = .none
        }
        let absorbed = kept == .asking ? existing : asking
        var result = kept == .asking ? asking : existing
        result.user.claims.merge(absorbed.user.claims) { own, _ in own }
        result.user.attributes.merge(absorbed.user.attributes) { own, _ in own }
        // Accepted by the holder of the other account: only if that was this user.
        if isTrusted || kept == .existing {
            result.user.acceptances.merge(absorbed.user.acceptances) { $0.at < $1.at ? $1 : $0 }
        }
        result.identifiers.merge(absorbed.identifiers) { own, other in own == .verified ? own : other }
        result.identifiers[identifier] = .verified
        result.memberships = result.memberships.union(absorbed.memberships)
        if result.user.status == .invited { result.user.status = .active }
        return result
    }
}

extension Account {
    /// Without the addresses that were only claimed. User names stay: they lead to no mailbox.
    fileprivate mutating func forgetAddresses() {
        identifiers = identifiers.filter { $0.key.kind == .username }
        for kind in [Identifier.Kind.email, .phone] { set(kind, nil, isVerified: false) }
    }
}
