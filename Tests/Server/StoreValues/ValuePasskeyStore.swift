internal import Authority
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// Passkeys of this server's users. Sites have none here.
struct ValuePasskeyStore: PasskeyStore {
    let database: ValueDatabase

    func passkey(_ credentialID: [UInt8], at relyingParty: String) throws(StoreError) -> OwnedPasskey? {
        try database.read { world in
            let row = world.passkeys.values.first {
                $0.passkey.relyingParty == relyingParty && $0.passkey.record.id == credentialID
            }
            return row.map { OwnedPasskey(passkey: $0.passkey, owner: .user($0.userID)) }
        }
    }

    func passkeys(of user: UserID, at relyingParty: String?) throws(StoreError) -> [StoredPasskey] {
        try database.read { world in
            let own = world.passkeys.values.filter {
                $0.userID == user && (relyingParty == nil || $0.passkey.relyingParty == relyingParty)
            }
            return own.map(\.passkey).sorted {
                $0.createdAt == $1.createdAt ? $0.id.rawValue < $1.id.rawValue : $0.createdAt < $1.createdAt
            }
        }
    }

    func add(
        _ passkey: StoredPasskey, by allowed: consuming Allowed<Acts.AddPasskey>, max: Int, spending mark: ReplayMark,
        at now: UnixTime
    ) throws(StoreError) -> PasskeyAddition {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            // Used up in any case: a challenge is answered once.
            guard world.spend(mark) else { return .spent }
            guard let account = world.account(user), account.user.status == .active,
                grounds.hold(for: account.standing)
            else { return .overtaken }
            if let refusal = try world.add(passkey, of: user, max: max) { return refusal }
            if grounds.isOfOthers { world.noteOthers(user, at: now) }
            world.authenticators = world.authenticators.filter {
                $0.value.owner != .user(user) || $0.value.stored.isConfirmed
            }
            world.endRecovery(of: user, .factorsChanged, at: now)
            return .added
        }
    }

    func create(
        _ account: Account, with passkey: StoredPasskey, spending mark: ReplayMark,
        by allowed: consuming Allowed<Acts.CreateAccount>
    ) throws(StoreError) -> PasskeyAddition {
        try allowed.grounds.requireNewUser()
        do throws(StoreError) {
            return try database.write { world in
                guard world.spend(mark) else { return .spent }
                if let refusal = world.refusal(of: passkey, of: account.user.id, max: 1) { return refusal }
                try world.add(account)
                _ = try world.add(passkey, of: account.user.id, max: 1)
                return .added
            }
        } catch {
            guard error.code == .conflict else { throw error }
            return .usernameTaken
        }
    }

    func use(
        _ record: CredentialRecord, of id: PasskeyID, repeats: Bool, spending mark: ReplayMark, at now: UnixTime
    ) throws(StoreError) -> PasskeyUse {
        try database.write { world in
            guard world.spend(mark) else { return .spent }
            // Of two simultaneous assertions the later one may have been written first: it is not undone.
            guard var row = world.passkeys[id], row.passkey.isActive,
                record.signCount > row.passkey.record.signCount
                    || (record.signCount == row.passkey.record.signCount && repeats)
            else { return .overtaken }
            row.passkey.record.signCount = record.signCount
            row.passkey.record.backupState = record.backupState
            row.passkey.record.uvInitialized = record.uvInitialized
            row.passkey.usedAt = now
            world.passkeys[id] = row
            world.endRecovery(of: row.userID, .factorUsed, at: now)
            return .used
        }
    }

    func change(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.ChangePasskey>, name: String?, isActive: Bool?,
        leaving ways: SignInWays?, at now: UnixTime
    ) throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            _ = try world.permitted(grounds)
            guard let row = world.passkeys[id], row.userID == user else { return false }
            // One that is switched off is no way to sign in.
            let isTaken = isActive == false && row.passkey.isActive
            let changed: Void? = try world.keep(isTaken ? ways : nil, of: user) { world in
                if let name { world.passkeys[id]?.passkey.name = name }
                if let isActive { world.passkeys[id]?.passkey.isActive = isActive }
            }
            guard changed != nil else { return false }
            if isActive == false { world.end(.pendingOnly(.credentialChanged, at: now), of: user) }
            return true
        }
    }

    func remove(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.RemovePasskey>, leaving ways: SignInWays?, at now: UnixTime
    ) throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            _ = try world.permitted(grounds)
            guard let row = world.passkeys[id], row.userID == user else { return false }
            let removed = try world.keep(row.passkey.isActive ? ways : nil, of: user) { world in
                world.passkeys.removeValue(forKey: id)
            }
            guard removed != nil else { return false }
            world.end(.pendingOnly(.credentialChanged, at: now), of: user)
            return true
        }
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemovePasskey>, at now: UnixTime) throws(StoreError) -> Int {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            _ = try world.permitted(grounds)
            let before = world.passkeys.count
            world.passkeys = world.passkeys.filter { $0.value.userID != user }
            let count = before - world.passkeys.count
            if count > 0 { world.end(.pendingOnly(.credentialChanged, at: now), of: user) }
            return count
        }
    }

    func metadataNumber(of source: String) throws(StoreError) -> Int64? {
        try database.read { $0.metadataNumbers[source] }
    }

    func raiseMetadataNumber(to number: Int64, of source: String) throws(StoreError) {
        try database.write { world in
            world.metadataNumbers[source] = max(number, world.metadataNumbers[source] ?? number)
        }
    }
}

extension StoreWorld {
    /// Whether the credential is there already, or the limit of this owner is used up.
    fileprivate func refusal(of passkey: StoredPasskey, of user: UserID, max: Int) -> PasskeyAddition? {
        let isTaken = passkeys.values.contains {
            $0.passkey.relyingParty == passkey.relyingParty && $0.passkey.record.id == passkey.record.id
        }
        guard !isTaken else { return .taken }
        return passkeys.values.count { $0.userID == user } < max ? nil : .tooMany
    }

    /// - Returns: why it was refused; `nil`: it was added.
    fileprivate mutating func add(_ passkey: StoredPasskey, of user: UserID, max: Int) throws(StoreError)
        -> PasskeyAddition?
    {
        if let refusal = refusal(of: passkey, of: user, max: max) { return refusal }
        guard passkeys[passkey.id] == nil else { throw StoreError(.conflict) }
        var stored = passkey
        stored.usedAt = nil
        passkeys[passkey.id] = PasskeyRow(passkey: stored, userID: user)
        return nil
    }
}

/// Sites that keep their users' passkeys here: the exploration has none.
extension ValuePasskeyStore {
    func passkeys(of user: SiteUserSelector, at relyingParty: String) -> [StoredPasskey] {
        unused("passkeys(of:at:) for sites")
    }

    func add(_ passkey: StoredPasskey, to user: SiteUser, max: Int, spending mark: ReplayMark, at now: UnixTime)
        -> PasskeyAddition
    {
        unused("passkeys.add(_:to:max:spending:at:) for sites")
    }

    func addAll(_ passkeys: [SitePasskey], max: Int, at relyingParty: String) -> SitePasskeyRefusal? {
        unused("passkeys.addAll(_:max:at:)")
    }

    func redeem(_ mark: ReplayMark, for id: PasskeyID, at relyingParty: String)
        -> (siteUser: String, passkey: StoredPasskey)?
    {
        unused("passkeys.redeem(_:for:at:)")
    }

    func change(_ id: PasskeyID, at relyingParty: String, name: String?, isActive: Bool?) -> StoredPasskey? {
        unused("passkeys.change(_:at:name:isActive:)")
    }

    func remove(_ id: PasskeyID, at relyingParty: String) -> Bool {
        unused("passkeys.remove(_:at:)")
    }
}
