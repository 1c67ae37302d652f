internal import KeyturnBase
internal import Model

/// Devices and countries of past sign-ins, and disputed sign-ins.
struct ValueRiskStore: RiskStore {
    let database: ValueDatabase

    func past(of user: UserID, at now: UnixTime) throws(StoreError) -> [PastSignIn] {
        try database.read { world in
            let recent = (world.pastSignIns[user] ?? []).map(\.signIn).filter { $0.at > now - Limits.pastSignInSeconds }
            return Array(recent.sorted { $0.isBefore($1) }.prefix(2 * Limits.pastSignInsMax))
        }
    }

    func remember(_ signIn: PastSignIn, of user: UserID) throws(StoreError) {
        try database.write { world in
            guard world.users[user] != nil else { return }
            var rows = world.pastSignIns[user] ?? []
            if let index = rows.firstIndex(where: { $0.signIn.isSamePlace(as: signIn) }) {
                rows[index].signIn = signIn
            } else {
                rows.append(PastSignInRow(signIn: signIn, firstAt: signIn.at))
            }
            let alike = rows.filter { $0.signIn.isTrusted == signIn.isTrusted }.sorted { $0.signIn.isBefore($1.signIn) }
            let forgotten = Set(alike.dropFirst(Limits.pastSignInsMax))
            world.pastSignIns[user] = rows.filter { !forgotten.contains($0) }
        }
    }

    func state(of dispute: SignInDispute) throws(StoreError) -> SignInDispute.State {
        try database.read { $0.state(of: dispute) }
    }

    func restorable(_ dispute: SignInDispute) throws(StoreError) -> Set<Identifier> {
        try database.read { world in
            guard world.state(of: dispute) == .open else { return [] }
            return world.former(dispute)?.restorable ?? []
        }
    }

    func dispute(_ dispute: SignInDispute, event: AuditEvent, at now: UnixTime) throws(StoreError) -> Bool {
        let user = dispute.userID
        return try database.write { world in
            guard world.mayCarryOut(dispute), world.spend(dispute.mark) else { return false }
            world.sessions = world.sessions.filter {
                $0.value.session.userID != user || $0.value.session.createdAt < dispute.signedInAt
            }
            world.endGrants(.credentialChanged, at: now) {
                $0.grant.userID == user && $0.grant.createdAt >= dispute.signedInAt
            }
            for identity in world.identities(of: user) where identity.linkedAt >= dispute.startedAt {
                world.withdrawRoles(givenBy: identity)
                world.noteDisconnected(identity)
            }
            world.endBrought(of: user, since: dispute.startedAt, at: now)
            world.restoreFormer(user, since: dispute.startedAt)
            world.removeFactors(of: user, since: dispute.startedAt)
            world.biometricKeys = world.biometricKeys.filter {
                $0.value.userID != user || $0.value.usedAt.map { $0 < dispute.signedInAt } ?? true
            }
            world.pastSignIns[user]?.removeAll { $0.firstAt >= dispute.signedInAt }
            try world.restoreIdentifiers(dispute, at: now)
            world.removePassword(of: user)
            world.users[user]?.user.disputedAt = now
            world.end(.pendingOnly(.credentialChanged, at: now), of: user)
            world.noteEnd(of: user, at: now)
            world.append([event])
            return true
        }
    }
}

extension StoreWorld {
    fileprivate func state(of dispute: SignInDispute) -> SignInDispute.State {
        guard spent[dispute.mark.digest] == nil else { return .carriedOut }
        return mayCarryOut(dispute) ? .open : .void
    }

    /// Who signed in before the account changed hands has no say any more, nor has the reader of an address that is gone.
    fileprivate func mayCarryOut(_ dispute: SignInDispute) -> Bool {
        guard let user = users[dispute.userID] else { return false }
        if let voidedAt = user.voidedAt, voidedAt >= dispute.startedAt { return false }
        return dispute.recipient.map { former(dispute)?.has($0) ?? false } ?? true
    }

    /// With what an attacker could come back.
    fileprivate mutating func removeFactors(of user: UserID, since time: UnixTime) {
        passkeys = passkeys.filter { $0.value.userID != user || $0.value.passkey.createdAt < time }
        authenticators = authenticators.filter {
            $0.value.owner != .user(user) || $0.value.stored.createdAt.map { $0 < time } ?? true
        }
        recoveryCodes[user] = recoveryCodes[user]?.filter { $0.value < time }
        biometricKeys = biometricKeys.filter { $0.value.userID != user || $0.value.createdAt < time }
        identities = identities.filter { $0.value.userID != user || $0.value.linkedAt < time }
        for (key, row) in consents where key.userID == user { consents[key] = row.before(time) }
    }
}

extension SignInDispute {
    fileprivate var mark: ReplayMark { ReplayMark(of: digest.bytes, expiresAt: expiresAt) }
}

extension PastSignIn {
    fileprivate func isSamePlace(as other: PastSignIn) -> Bool {
        device == other.device && place.country == other.place.country && isTrusted == other.isTrusted
    }

    /// The last one first.
    fileprivate func isBefore(_ other: PastSignIn) -> Bool {
        guard at == other.at else { return at > other.at }
        guard device == other.device else { return device.bytes.lexicographicallyPrecedes(other.device.bytes) }
        let (country, others) = (place.country ?? "", other.place.country ?? "")
        return country == others ? !isTrusted && other.isTrusted : country < others
    }
}
