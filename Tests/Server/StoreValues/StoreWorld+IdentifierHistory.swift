internal import KeyturnBase
internal import Model

/// Since when identifiers are a user's, and which were: what recoveries and disputes go by.
extension StoreWorld {
    /// Records what a change of an account verifies and ends.
    mutating func note(_ account: Account, before: Account, at now: UnixTime) {
        let id = account.user.id
        let ended = FormerIdentifier.ended(from: before, to: account, at: now) { newAddresses[id]?[$0]?.provedAt }
        for one in ended where !(formerIdentifiers[id] ?? []).contains(where: { $0.isSameRow(as: one) }) {
            formerIdentifiers[id, default: []].append(one)
        }
        for role in Set(ended.map(\.role)) { bound(role, of: id) }
        for identifier in account.everProved.subtracting(before.everProved) {
            newAddresses[id, default: [:]][identifier] = NewAddressRow(
                provedAt: now, wasListed: before.identifiers[identifier] != nil)
        }
    }

    /// Keeps what was the user's for longest: what a stranger adds and takes away is younger, and pushes nothing out.
    private mutating func bound(_ role: FormerIdentifier.Role, of user: UserID) {
        let all = formerIdentifiers[user] ?? []
        let oldest = all.filter { $0.role == role }.sorted { $0.rank < $1.rank }.prefix(Limits.formerIdentifiersMax)
        let kept = Set(oldest)
        formerIdentifiers[user] = all.filter { $0.role != role || kept.contains($0) }
    }

    /// Restores the identifiers and primary addresses that a user had at an earlier moment. Nothing of it counts as new,
    /// and nothing is restored twice.
    mutating func restoreIdentifiers(_ dispute: SignInDispute, at now: UnixTime) throws(StoreError) {
        let (user, moment) = (dispute.userID, dispute.startedAt)
        guard let before = account(user) else { return }
        let isAdded = { (row: NewAddressRow) in row.provedAt >= moment && !row.wasListed }
        let added = (newAddresses[user] ?? [:]).filter { isAdded($0.value) }.keys
        let past = former(before, dispute, added: Set(added))
        var account = before
        past.restore(&account) { isTaken($0, from: user) }
        if account != before { try replace(account, bringing: Set(past.kept.keys), at: now) }
        formerIdentifiers[user]?.removeAll { $0.endedAt >= moment }
        newAddresses[user] = newAddresses[user]?.filter { !isAdded($0.value) }
        for (identifier, one) in past.kept {
            guard let provedAt = one.provedAt else { continue }
            newAddresses[user, default: [:]][identifier] = NewAddressRow(provedAt: provedAt, wasListed: false)
        }
    }

    /// What a dispute would bring back, where no other user has it.
    func former(_ dispute: SignInDispute) -> FormerIdentifiers? {
        account(dispute.userID).map { former($0, dispute, added: []) }
    }

    private func former(_ account: Account, _ dispute: SignInDispute, added: Set<Identifier>) -> FormerIdentifiers {
        FormerIdentifiers(
            account.user.othersAt == nil ? formerIdentifiers[account.user.id] ?? [] : [],
            present: present(account), added: added, domains: dispute.leftDomains, since: dispute.startedAt)
    }

    private func present(_ account: Account) -> [Identifier: UnixTime?] {
        Dictionary(
            uniqueKeysWithValues: account.provedAddresses.map { ($0, newAddresses[account.user.id]?[$0]?.provedAt) })
    }

    /// Whether another user has an identifier, or is called by it.
    private func isTaken(_ identifier: Identifier, from user: UserID) -> Bool {
        let namesake = UserID(rawValue: identifier.value)
        return identifierOwners[identifier].map { $0 != user } ?? false || namesake != user && users[namesake] != nil
            || isContact(identifier, besides: user)
    }
}

extension FormerIdentifier {
    fileprivate func isSameRow(as other: FormerIdentifier) -> Bool {
        role == other.role && kind == other.kind && value == other.value && endedAt == other.endedAt
    }

    fileprivate var rank: (Int64, Int64, String, String) {
        (provedAt?.rawValue ?? 0, endedAt.rawValue, kind.rawValue, value)
    }
}

extension Account {
    fileprivate var everProved: Set<Identifier> {
        provedAddresses.union(identifiers.filter { $0.value == .verified }.keys)
    }
}
