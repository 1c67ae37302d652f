internal import Authority
internal import KeyturnBase
internal import Model

/// Biometric keys, and the sessions that each of them opened.
struct ValueBiometricStore: BiometricStore {
    let database: ValueDatabase

    func add(
        _ key: StoredBiometricKey, by allowed: consuming Allowed<Acts.AddDeviceKey>, in session: GrantID,
        challenge: ReplayMark, charge: RateLimitCharge, keysMax: Int, at now: UnixTime
    ) throws(StoreError) -> BiometricAddition {
        let grounds = allowed.grounds
        return try database.write { world in
            guard let owner = world.account(key.userID), grounds.hold(for: owner.standing) else { return .signedOut }
            // First, because it is the single-use gate.
            guard world.spend(challenge) else { return .challengeSpent }
            guard world.spend([charge], at: now) == nil else { return .tooMany }
            guard world.biometricKeys[key.id] == nil else { return .taken }
            guard let (row, user) = world.live(session, at: now), user.id == key.userID,
                row.grant.clientID == key.clientID
            else { return .signedOut }
            world.biometricKeys[key.id] = key.with(createdAt: now, usedAt: nil)
            if grounds.isOfOthers { world.noteOthers(key.userID, at: now) }
            let own = world.biometricKeys.values.filter { $0.userID == key.userID && $0.id != key.id }
            let others = own.sorted { $0.rank > $1.rank }.dropFirst(keysMax - 1)
            for other in others { world.removeBiometricKey(other.id, at: now) }
            return .added(removed: others.map(\.id))
        }
    }

    func key(_ id: String) throws(StoreError) -> (key: StoredBiometricKey, user: User, hasAuthenticator: Bool)? {
        try database.read { world in
            guard let key = world.biometricKeys[id], let user = world.users[key.userID]?.user else { return nil }
            return (key, user, world.hasAuthenticator(user.id))
        }
    }

    func open(_ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime)
        throws(StoreError) -> BiometricOpening
    {
        try database.write { world in
            guard world.spend(challenge) else { return .challengeSpent }
            guard world.spend([charge], at: now) == nil else { return .tooMany }
            guard let key = world.biometricKeys[keyID], key.userID == grant.userID, key.clientID == grant.clientID
            else { return .keyGone }
            world.biometricKeys[keyID] = key.with(createdAt: key.createdAt, usedAt: now)
            guard world.users[grant.userID]?.user.status == .active else { return .userDisabled }
            world.endGrants(.superseded, at: now) { $0.biometricKey == keyID }
            var row = GrantRow(grant.withoutRequest, isOffline: true, redeemedAt: grant.createdAt)
            row.biometricKey = keyID
            try world.insert(row)
            return .opened(canReauthenticate: world.account(grant.userID)?.canReauthenticate ?? false)
        }
    }

    func keys(of user: UserID) throws(StoreError) -> [StoredBiometricKey] {
        try database.read { world in
            world.biometricKeys.values.filter { $0.userID == user }.sorted {
                $0.createdAt == $1.createdAt ? $0.id < $1.id : $0.createdAt > $1.createdAt
            }
        }
    }

    func remove(_ id: String, by allowed: consuming Allowed<Acts.RemoveDeviceKey>, at now: UnixTime)
        throws(StoreError) -> Bool
    {
        let grounds = allowed.grounds
        return try database.write { world in
            _ = try world.permitted(grounds)
            guard world.biometricKeys[id]?.userID == grounds.user else { return false }
            world.removeBiometricKey(id, at: now)
            return true
        }
    }
}

extension StoreWorld {
    /// Removes a key, and ends what it opened.
    fileprivate mutating func removeBiometricKey(_ id: String, at now: UnixTime) {
        biometricKeys[id] = nil
        endGrants(.revoked, at: now) { $0.biometricKey == id }
    }
}

extension StoredBiometricKey {
    /// The one that was used last has the highest.
    fileprivate var rank: (UnixTime, UnixTime) { (usedAt ?? createdAt, createdAt) }

    fileprivate func with(createdAt: UnixTime, usedAt: UnixTime?) -> StoredBiometricKey {
        StoredBiometricKey(
            id: id, userID: userID, clientID: clientID, scope: scope, isStrong: isStrong, publicKey: publicKey,
            algorithm: algorithm, device: device, createdAt: createdAt, usedAt: usedAt)
    }
}
