internal import KeyturnBase
internal import Model

/// Links, and the clients that wait for them.
struct ValueLinkStore: LinkStore {
    let database: ValueDatabase

    func add(_ links: [PendingLink], reference: SecretDigest?, expiresAt: UnixTime, at now: UnixTime) throws(StoreError)
    {
        try database.write { world in
            for link in links {
                let user = link.facts.userID
                let isFree = world.links[link.digest] == nil && user.map { world.users[$0] != nil } ?? true
                guard isFree else { throw StoreError(.conflict) }
                world.links[link.digest] = LinkRow(
                    facts: link.facts, userID: user, reference: reference, isRight: link.isRight, expiresAt: expiresAt)
            }
            guard let reference, let facts = links.first?.facts else { return }
            guard world.pendingLinks[reference] == nil else { throw StoreError(.conflict) }
            world.pendingLinks[reference] = PendingLinkRow(
                state: .waiting, facts: facts, userID: facts.userID, isFirst: false, expiresAt: expiresAt)
        }
    }

    func describe(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> LinkDescription? {
        try database.read { world in
            guard let row = world.links[digest], row.expiresAt > now, let facts = row.facts,
                !world.isMessageSpent(facts)
            else { return nil }
            return LinkDescription(facts: facts, isEnchanted: row.reference != nil, expiresAt: row.expiresAt)
        }
    }

    func end(of digest: SecretDigest, at now: UnixTime) throws(StoreError) -> LinkEnd? {
        try database.read { world in
            guard let row = world.links[digest] else { return nil }
            guard let facts = row.facts, !world.isMessageSpent(facts) else { return .spent }
            return row.expiresAt > now ? nil : .expired
        }
    }

    func redeem(_ digest: SecretDigest, at now: UnixTime) throws(StoreError) -> LinkVerdict {
        try database.write { world in
            guard let row = world.links[digest], let facts = row.facts else { return .unknown }
            guard row.expiresAt > now else { return .expired }
            world.links[digest] = LinkRow(isRight: false, expiresAt: row.expiresAt)
            let isFirst = world.spendMessage(of: facts, at: now)
            guard let reference = row.reference else { return isFirst ? .right(facts, reference: nil) : .unknown }
            for (other, link) in world.links where link.reference == reference {
                world.links[other] = LinkRow(isRight: link.isRight, expiresAt: link.expiresAt)
            }
            guard row.isRight else {
                if world.pendingLinks[reference]?.state == .waiting {
                    world.pendingLinks[reference]?.state = .cancelled
                }
                return .cancelled
            }
            return isFirst ? .right(facts, reference: reference) : .unknown
        }
    }

    func approve(_ reference: SecretDigest, user: UserID, isFirst: Bool, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            guard var row = world.pendingLinks[reference], row.state == .waiting, row.expiresAt > now else {
                return false
            }
            guard world.users[user] != nil else { throw StoreError(.conflict) }
            (row.state, row.userID, row.isFirst) = (.approved, user, isFirst)
            world.pendingLinks[reference] = row
            return true
        }
    }

    func collect(_ reference: SecretDigest, at now: UnixTime) throws(StoreError) -> PendingVerdict {
        try database.write { world in
            guard let row = world.pendingLinks[reference], row.state != .cancelled else { return .unknown }
            guard row.expiresAt > now else { return .expired }
            guard row.state == .approved else { return .waiting }
            world.pendingLinks[reference] = nil
            guard let user = row.userID else { return .unknown }
            return .approved(row.facts, userID: user, isFirst: row.isFirst)
        }
    }

    func isWaiting(_ reference: SecretDigest, at now: UnixTime) throws(StoreError) -> Bool {
        try database.read { world in
            world.pendingLinks[reference].map { $0.state == .waiting && $0.expiresAt > now } ?? false
        }
    }

    func removeAll(of user: UserID) throws(StoreError) {
        try database.write { $0.removeLinks(of: user) }
    }
}

extension StoreWorld {
    /// - Parameter reference: of the client that goes on waiting.
    mutating func removeLinks(of user: UserID, keeping reference: SecretDigest? = nil) {
        links = links.filter { $0.value.userID != user }
        pendingLinks = pendingLinks.filter { $0.value.userID != user || $0.key == reference }
    }
}
