internal import Authority
internal import Foundation
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// Passkeys of this server's users and of sites' own users.
struct SQLPasskeyStore: PasskeyStore {
    let database: any SQLDatabase

    /// The columns that ``SQLRow/passkey()`` reads.
    static let columns = """
        id, rp_id, credential_id, user_id, user_handle, public_key, sign_count, uv_initialized, transports,
        backup_eligible, backup_state, aaguid, attestation, name, active, created_at, used_at
        """
    /// As `columns`, of the table `p`.
    private static let columnsOfP = """
        p.id, p.rp_id, p.credential_id, p.user_id, p.user_handle, p.public_key, p.sign_count, p.uv_initialized,
        p.transports, p.backup_eligible, p.backup_state, p.aaguid, p.attestation, p.name, p.active, p.created_at,
        p.used_at
        """

    func passkey(_ credentialID: [UInt8], at relyingParty: String) async throws(StoreError) -> OwnedPasskey? {
        try await database.read { db in
            try db.first(
                """
                SELECT \(Self.columnsOfP), s.site_id, s.folded_id, s.username_digest
                FROM passkey p LEFT JOIN site_user s ON s.id = p.site_user_id
                WHERE p.rp_id = ? AND p.credential_id = ?
                """,
                [relyingParty, Data(credentialID)]
            ).map { row in
                let passkey = try row.passkey()
                if let user: String = row["user_id"] {
                    return OwnedPasskey(passkey: passkey, owner: .user(UserID(rawValue: user)))
                }
                let mark = SiteUserMark(
                    foldedID: row["folded_id"], usernameDigest: (row["username_digest"] as Data?).map { Array($0) })
                return OwnedPasskey(passkey: passkey, owner: .siteUser(row["site_id"]), siteUser: mark)
            }
        }
    }

    func passkeys(of user: UserID, at relyingParty: String?) async throws(StoreError) -> [StoredPasskey] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM passkey WHERE user_id = ?1 AND (?2 IS NULL OR rp_id = ?2)
                ORDER BY created_at, id
                """,
                [user.rawValue, relyingParty]
            ).map { try $0.passkey() }
        }
    }

    func passkeys(of user: SiteUserSelector, at relyingParty: String) async throws(StoreError) -> [StoredPasskey] {
        try await database.read { db in
            let (condition, values) = Self.condition(user)
            return try db.search(
                """
                SELECT \(Self.columnsOfP) FROM site_user s JOIN passkey p ON p.site_user_id = s.id
                WHERE s.rp_id = ? AND \(condition) ORDER BY p.created_at, p.id
                """, [relyingParty] + values
            ).map { try $0.passkey() }
        }
    }

    func use(
        _ record: CredentialRecord, of id: PasskeyID, repeats: Bool, spending mark: ReplayMark, at now: UnixTime
    ) async throws(StoreError) -> PasskeyUse {
        try await database.write(.locking([.owner(of: .passkey(id), shared: true)])) { db in
            guard try SQLReplayStore.spend(mark, db) else { return .spent }
            // Of two simultaneous assertions the later one may have been written first: it is not undone.
            let row = try db.first(
                """
                UPDATE passkey SET sign_count = ?2, backup_state = ?3, uv_initialized = ?4, used_at = ?5
                WHERE id = ?1 AND active = 1 AND (?2 > sign_count OR (?2 = sign_count AND ?6 = 1)) RETURNING user_id
                """,
                [
                    id.rawValue, Int64(record.signCount), record.backupState, record.uvInitialized, now.rawValue,
                    repeats,
                ])
            guard let row else { return .overtaken }
            if let user = row["user_id"] as String? {
                try SQLRecoveryStore.end(UserID(rawValue: user), .factorUsed, db, at: now)
            }
            return .used
        }
    }

    func redeem(_ mark: ReplayMark, for id: PasskeyID, at relyingParty: String) async throws(StoreError)
        -> (siteUser: String, passkey: StoredPasskey)?
    {
        try await database.write(.guarded) { db in
            let row = try db.first(
                """
                SELECT \(Self.columnsOfP), s.site_id FROM passkey p JOIN site_user s ON s.id = p.site_user_id
                WHERE p.id = ? AND p.rp_id = ? AND p.active = 1
                """,
                [id.rawValue, relyingParty])
            guard let row, try SQLReplayStore.spend(mark, db) else { return nil }
            return (row["site_id"], try row.passkey())
        }
    }

    func change(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.ChangePasskey>, name: String?, isActive: Bool?,
        leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            let isTaken = try isActive == false && Self.isActive(id, of: user, db)
            let changed = try LastWay.keep(isTaken ? ways : nil, of: user, db) {
                try db.run(
                    """
                    UPDATE passkey SET name = coalesce(?3, name), active = coalesce(?4, active)
                    WHERE id = ?1 AND user_id = ?2
                    """,
                    [id.rawValue, user.rawValue, name, isActive])
            }
            guard changed == 1 else { return false }
            if isActive == false {
                try Revocation.end(.pendingOnly(.credentialChanged, at: now), of: user, db)
            }
            return true
        }
    }

    func change(_ id: PasskeyID, at relyingParty: String, name: String?, isActive: Bool?)
        async throws(StoreError) -> StoredPasskey?
    {
        try await database.once(.replicated) { db in
            try db.first(
                """
                UPDATE passkey SET name = coalesce(?3, name), active = coalesce(?4, active)
                WHERE id = ?1 AND rp_id = ?2 AND site_user_id IS NOT NULL RETURNING \(Self.columns)
                """,
                [id.rawValue, relyingParty, name, isActive]
            ).map { try $0.passkey() }
        }
    }

    /// One that is switched off is no way to sign in.
    private static func isActive(_ id: PasskeyID, of user: UserID, _ db: SQLSession) throws -> Bool {
        try db.first(
            "SELECT 1 FROM passkey WHERE id = ? AND user_id = ? AND active = 1", [id.rawValue, user.rawValue]) != nil
    }

    func remove(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.RemovePasskey>, leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            let isTaken = try Self.isActive(id, of: user, db)
            let changed = try LastWay.keep(isTaken ? ways : nil, of: user, db) {
                try db.run("DELETE FROM passkey WHERE id = ? AND user_id = ?", [id.rawValue, user.rawValue])
            }
            guard changed == 1 else { return false }
            try Revocation.end(.pendingOnly(.credentialChanged, at: now), of: user, db)
            return true
        }
    }

    func remove(_ id: PasskeyID, at relyingParty: String) async throws(StoreError) -> Bool {
        try await database.write(.locking([.site(relyingParty)])) { db in
            let owner: Int64? = try db.first(
                "DELETE FROM passkey WHERE id = ? AND rp_id = ? AND site_user_id IS NOT NULL RETURNING site_user_id",
                [id.rawValue, relyingParty])?["site_user_id"]
            guard let owner else { return false }
            // A site's user without passkeys is removed: the name is free.
            try db.run(
                "DELETE FROM site_user WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM passkey WHERE site_user_id = ?1)",
                [owner])
            return true
        }
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemovePasskey>, at now: UnixTime) async throws(StoreError) -> Int
    {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            let count = try db.run("DELETE FROM passkey WHERE user_id = ?", [user.rawValue])
            if count > 0 { try Revocation.end(.pendingOnly(.credentialChanged, at: now), of: user, db) }
            return count
        }
    }

    func metadataNumber(of source: String) async throws(StoreError) -> Int64? {
        try await database.read { db in
            try db.first("SELECT number FROM authenticator_metadata WHERE source = ?", [source])?["number"]
        }
    }

    func raiseMetadataNumber(to number: Int64, of source: String) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run(
                """
                INSERT INTO authenticator_metadata (source, number) VALUES (?1, ?2)
                ON CONFLICT (source) DO UPDATE SET number = excluded.number
                    WHERE authenticator_metadata.number < excluded.number
                """,
                [source, number])
        }
    }

    private static func condition(_ user: SiteUserSelector) -> (String, Values) {
        switch user {
        case .id(let folded): ("s.folded_id = ?", [folded])
        case .exactID(let id): ("s.site_id = ?", [id])
        case .username(let digests):
            (
                "s.username_digest IN (\(digests.map { _ in "?" }.joined(separator: ", ")))",
                digests.map { Data($0) }
            )
        }
    }
}

extension SQLRow {
    /// A row of the table `passkey`. A damaged one is an error, never a guess.
    func passkey() throws -> StoredPasskey {
        guard let aaguid = AAGUID(bytes("aaguid")), let count = UInt32(exactly: self["sign_count"] as Int64) else {
            throw SQLProblem.damagedRow
        }
        let record = CredentialRecord(
            id: bytes("credential_id"), userHandle: bytes("user_handle"), publicKey: bytes("public_key"),
            signCount: count, uvInitialized: self["uv_initialized"], transports: words("transports"),
            backupEligible: self["backup_eligible"], backupState: self["backup_state"], aaguid: aaguid)
        return StoredPasskey(
            id: PasskeyID(rawValue: self["id"]), relyingParty: self["rp_id"], record: record, name: self["name"],
            isActive: self["active"], attestationFormat: self["attestation"], createdAt: time("created_at"),
            usedAt: optionalTime("used_at"))
    }
}
