internal import KeyturnBase

/// What becomes of two accounts of one person, when an address that was proved turns out to belong to the other.
public enum UserMerge {
    /// Which of the two stays.
    public enum Kept: Hashable, Sendable {
        /// The one that asked. The other one is removed.
        case asking
        /// The one that had the address. The one that asked is removed, and its sessions with it.
        case existing
    }

    /// What a store writes, in one transaction.
    public struct Plan: Hashable, Sendable {
        /// The account that stays, as it is afterwards.
        public var account: Account
        /// The one that is removed; its access keys and data keys go over to the one that stays.
        public let removed: UserID
        /// The password that was there opens nothing any more: it is removed, and everything that the user is signed in
        /// with ends.
        public let voidsPassword: Bool
    }

    /// What becomes of the two accounts; `nil` if they may not be merged. Only a user who may sign in brings anything
    /// along, and only to one who may, or was invited.
    public static func plan(
        asking: Account, existing: Account, proved identifier: Identifier, keeping kept: Kept
    ) -> Plan? {
        guard asking.user.status == .active, [.active, .invited].contains(existing.user.status) else { return nil }
        let account = merge(asking: asking, existing: existing, proved: identifier, keeping: kept)
        return Plan(
            account: account, removed: kept == .asking ? existing.user.id : asking.user.id,
            voidsPassword: kept == .existing && account.passwordHash == nil && existing.passwordHash != nil)
    }

    /// The account that stays, with everything that may be taken over.
    ///
    /// The one that asks has a session, so it is who it says. The one that had the address may have been made by
    /// somebody who only claimed it: unless the address was verified there, its password opens nothing any more and
    /// its other identifiers are not believed. A password is never carried from one account to another.
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
        result.identifiers.merge(absorbed.identifiers) { own, other in own == .verified ? own : other }
        result.identifiers[identifier] = .verified
        result.memberships = result.memberships.union(absorbed.memberships)
        if result.user.status == .invited { result.user.status = .active }
        return result
    }
}
