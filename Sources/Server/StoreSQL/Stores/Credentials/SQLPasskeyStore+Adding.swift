internal import Authority
internal import Foundation
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// Adds passkeys. There is one writer, so what was checked still holds when it is written.
extension SQLPasskeyStore {
    func add(
        _ passkey: StoredPasskey, by allowed: consuming Allowed<Acts.AddPasskey>, max: Int, spending mark: ReplayMark,
        at now: UnixTime
    ) async throws(StoreError) -> PasskeyAddition {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            // Used up in any case: a challenge is answered once.
            guard try SQLReplayStore.spend(mark, db) else { return .spent }
            guard let account = try SQLUserStore.find(user, db), account.user.status == .active,
                grounds.hold(for: account.standing)
            else { return .overtaken }
            if let refusal = try Self.refusal(passkey, "user_id", user.rawValue, max: max, db) { return refusal }
            try Self.insert(passkey, user: user.rawValue, siteUser: nil, db)
            if grounds.isOfOthers { try SQLUserStore.noteOthers(user, db, at: now) }
            try db.run("DELETE FROM authenticator WHERE user_id = ? AND confirmed = 0", [user.rawValue])
            try SQLRecoveryStore.end(user, .factorsChanged, db, at: now)
            return .added
        }
    }

    /// Whether a user has a factor that is independent of password and address.
    /// Removes a user's passkeys, but for those that were used since a moment.
    ///
    /// - Parameter since: `nil`: all.
    static func forget(of user: UserID, besidesUsedSince since: UnixTime?, _ db: SQLSession) throws {
        try db.run(
            "DELETE FROM passkey WHERE user_id = ? AND (used_at IS NULL OR used_at < ?)",
            [user.rawValue, since?.rawValue ?? .max])
    }

    static func hasStrongFactor(_ user: UserID, _ db: SQLSession) throws -> Bool {
        try db.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM passkey WHERE user_id = ?1 AND active = 1)
                OR EXISTS (SELECT 1 FROM authenticator WHERE user_id = ?1 AND confirmed = 1)
            """,
            [user.rawValue]) != nil
    }

    func create(
        _ account: Account, with passkey: StoredPasskey, spending mark: ReplayMark,
        by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) -> PasskeyAddition {
        try allowed.grounds.requireNewUser()
        do throws(StoreError) {
            return try await database.write(.guarded) { db in
                guard try SQLReplayStore.spend(mark, db) else { return .spent }
                let owner = account.user.id.rawValue
                if let refusal = try Self.refusal(passkey, "user_id", owner, max: 1, db) { return refusal }
                try SQLUserStore.add(account, db)
                try Self.insert(passkey, user: owner, siteUser: nil, db)
                return .added
            }
        } catch {
            guard error.code == .conflict else { throw error }
            return .usernameTaken
        }
    }

    func add(_ passkey: StoredPasskey, to user: SiteUser, max: Int, spending mark: ReplayMark, at now: UnixTime)
        async throws(StoreError) -> PasskeyAddition
    {
        try await database.write(.locking([.site(passkey.relyingParty)])) { db in
            // A refused backend may try again with the same token: everything is checked before the token is used up.
            guard try db.first("SELECT 1 FROM spent WHERE digest = ?", [Data(mark.digest)]) == nil else {
                return .spent
            }
            if let refusal = try Self.add(passkey, to: user, max: max, db) { return refusal }
            _ = try SQLReplayStore.spend(mark, db)
            return .added
        }
    }

    func addAll(_ passkeys: [SitePasskey], max: Int, at relyingParty: String) async throws(StoreError)
        -> SitePasskeyRefusal?
    {
        try await database.write(.locking([.site(relyingParty)])) { db in
            try db.run("SAVEPOINT imported", [])
            var refusal: SitePasskeyRefusal?
            for (index, each) in passkeys.enumerated() {
                guard let reason = try Self.add(each.passkey, to: each.user, max: max, db) else { continue }
                refusal = SitePasskeyRefusal(index: index, reason: reason)
                try db.run("ROLLBACK TO imported", [])
                break
            }
            try db.run("RELEASE imported", [])
            return refusal
        }
    }

    /// Adds a passkey of a site's user. If it is refused, nothing is written.
    private static func add(_ passkey: StoredPasskey, to user: SiteUser, max: Int, _ db: SQLSession) throws
        -> PasskeyAddition?
    {
        let known = try db.first(
            "SELECT id, username_digest FROM site_user WHERE rp_id = ? AND site_id = ?",
            [passkey.relyingParty, user.id])
        let id: Int64? = known?["id"]
        if let refusal = try refusal(known, user, at: passkey.relyingParty, db) { return refusal }
        if let refusal = try refusal(passkey, "site_user_id", id, max: max, db) { return refusal }
        let owner = try put(user, known: id, at: passkey.relyingParty, db)
        try insert(passkey, user: nil, siteUser: owner, db)
        return nil
    }

    /// Why the name of a site's user is refused.
    private static func refusal(_ known: SQLRow?, _ user: SiteUser, at relyingParty: String, _ db: SQLSession) throws
        -> PasskeyAddition?
    {
        let present = (known?["username_digest"] as Data?).map { Array($0) }
        if let present, user.differs(from: present) { return .usernameDiffers }
        for digest in user.usernameDigests where digest != present {
            let holder = try db.first(
                "SELECT id FROM site_user WHERE rp_id = ? AND username_digest = ?", [relyingParty, Data(digest)])
            if let holder, holder["id"] as Int64? != known?["id"] as Int64? { return .usernameTaken }
        }
        return nil
    }

    /// Whether the limit of all passkeys, or of this owner's, is used up.
    private static func refusal(
        _ passkey: StoredPasskey, _ column: String, _ owner: any SQLValue, max: Int, _ db: SQLSession
    ) throws -> PasskeyAddition? {
        let same = try db.first(
            "SELECT 1 FROM passkey WHERE rp_id = ? AND credential_id = ?",
            [passkey.relyingParty, Data(passkey.record.id)])
        guard same == nil else { return .taken }
        let count: Int? = try db.first("SELECT count(*) AS n FROM passkey WHERE \(column) = ?", [owner])?["n"]
        return (count ?? 0) < max ? nil : .tooMany
    }

    /// Writes the row of a site's user, with the given name.
    private static func put(_ user: SiteUser, known: Int64?, at relyingParty: String, _ db: SQLSession) throws -> Int64
    {
        let digest = user.usernameDigests.first.map { Data($0) }
        if let known {
            if let digest { try db.run("UPDATE site_user SET username_digest = ? WHERE id = ?", [digest, known]) }
            return known
        }
        let row = try db.first(
            "INSERT INTO site_user (rp_id, site_id, folded_id, username_digest) VALUES (?, ?, ?, ?) RETURNING id",
            [relyingParty, user.id, user.foldedID, digest])
        guard let row else { throw SQLProblem.noRow }
        return row["id"]
    }

    private static func insert(_ passkey: StoredPasskey, user: String?, siteUser: Int64?, _ db: SQLSession) throws {
        let record = passkey.record
        try db.run(
            """
            INSERT INTO passkey (
                id, rp_id, credential_id, user_id, site_user_id, user_handle, public_key, sign_count, uv_initialized,
                transports, backup_eligible, backup_state, aaguid, attestation, name, active, created_at
            ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            """,
            [
                passkey.id.rawValue, passkey.relyingParty, Data(record.id), user, siteUser, Data(record.userHandle),
                Data(record.publicKey), Int64(record.signCount), record.uvInitialized,
                record.transports.joined(separator: " "), record.backupEligible, record.backupState,
                Data(record.aaguid.bytes), passkey.attestationFormat, passkey.name, passkey.isActive,
                passkey.createdAt.rawValue,
            ])
    }
}
