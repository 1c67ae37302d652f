internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Secrets of authenticator apps.
struct SQLTOTPStore: TOTPStore {
    let database: any SQLDatabase

    /// The columns that ``stored(_:)`` reads.
    private static let columns = "id, sealed, confirmed, used_step, facts, grant_id, session_id, created_at"

    func add(
        _ authenticator: StoredTOTP, by allowed: consuming Allowed<Acts.AddAuthenticator>, replaces: Bool,
        pendingMax: Int, expiresAt: UnixTime, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let owner = AuthenticatorOwner.user(grounds.user)
        return try await database.write(.locking([Self.lock(of: owner)])) { db in
            let account = try SQLUserStore.permitted(grounds, db)
            guard replaces || !account.hasStrongFactor else { return false }
            try Self.insert(authenticator, of: owner, pendingMax: pendingMax, expiresAt: expiresAt, db, at: now)
            if grounds.isOfOthers { try SQLUserStore.noteOthers(grounds.user, db, at: now) }
            return true
        }
    }

    func add(
        _ authenticator: StoredTOTP, toSignUpOf loginID: Identifier, pendingMax: Int, expiresAt: UnixTime,
        at now: UnixTime
    ) async throws(StoreError) {
        let owner = AuthenticatorOwner.signUp(loginID)
        try await database.write(.locking([Self.lock(of: owner)])) { db in
            try Self.insert(authenticator, of: owner, pendingMax: pendingMax, expiresAt: expiresAt, db, at: now)
        }
    }

    private static func insert(
        _ authenticator: StoredTOTP, of owner: AuthenticatorOwner, pendingMax: Int, expiresAt: UnixTime,
        _ db: SQLSession, at now: UnixTime
    ) throws {
        let (column, name) = place(of: owner)
        try db.run(
            """
            INSERT INTO authenticator (
                id, \(column), sealed, confirmed, used_step, facts, created_at, expires_at, grant_id, session_id)
            VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(authenticator.id), name, Data(authenticator.sealed), authenticator.usedStep,
                authenticator.facts?.json.columnText, now.rawValue, expiresAt.rawValue,
                authenticator.begunIn?.grant, authenticator.begunIn?.name,
            ])
        try db.run(
            """
            DELETE FROM authenticator WHERE \(column) = ?1 AND confirmed = 0 AND id NOT IN (
                SELECT id FROM authenticator WHERE \(column) = ?1 AND confirmed = 0
                ORDER BY id = ?3 DESC, created_at DESC LIMIT ?2)
            """,
            [name, pendingMax, Data(authenticator.id)])
    }

    func authenticators(of owner: AuthenticatorOwner, at now: UnixTime) async throws(StoreError)
        -> [StoredTOTP]
    {
        let (column, name) = Self.place(of: owner)
        return try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM authenticator WHERE \(column) = ? AND (expires_at IS NULL OR expires_at > ?)
                ORDER BY confirmed DESC, created_at DESC
                """,
                [name, now.rawValue]
            ).map(Self.stored)
        }
    }

    func accept(step: Int64, of id: [UInt8], at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.locking([.owner(of: .authenticator(id), shared: false)])) { db in
            // One guarded statement: no later request can use an accepted step again.
            let row = try db.first(
                """
                UPDATE authenticator SET used_step = ?2, confirmed = 1,
                    created_at = CASE WHEN confirmed = 1 THEN created_at ELSE ?3 END,
                    expires_at = CASE WHEN user_id IS NULL THEN expires_at END
                WHERE id = ?1 AND used_step < ?2 AND (expires_at IS NULL OR expires_at > ?3) AND (confirmed = 1 OR (
                    (grant_id IS NULL OR EXISTS (
                        SELECT 1 FROM grant_ g WHERE g.id = authenticator.grant_id AND g.ended_at IS NULL
                            AND g.idle_expires_at > ?3 AND g.absolute_expires_at > ?3))
                    AND (session_id IS NULL OR session_id LIKE 'sign-in:%' OR EXISTS (
                        SELECT 1 FROM session s WHERE s.id = authenticator.session_id AND s.expires_at > ?3))))
                RETURNING user_id
                """,
                [Data(id), step, now.rawValue])
            guard let row else { return false }
            if let user: String = row["user_id"] {
                let replaced = try db.all(
                    "DELETE FROM authenticator WHERE user_id = ? AND id <> ? RETURNING confirmed", [user, Data(id)]
                ).contains { $0["confirmed"] }
                try Self.removeFormerCodes(of: user, id, isReplacing: replaced, db)
                try SQLRecoveryStore.end(UserID(rawValue: user), .factorUsed, db, at: now)
            }
            return true
        }
    }

    /// Removes the recovery codes that stand for an earlier authenticator.
    private static func removeFormerCodes(of user: String, _ id: [UInt8], isReplacing: Bool, _ db: SQLSession) throws {
        guard !isReplacing else {
            return try db.send("DELETE FROM recovery_code WHERE user_id = ?", [user])
        }
        try db.send(
            """
            DELETE FROM recovery_code
            WHERE user_id = ? AND created_at < (SELECT created_at FROM authenticator WHERE id = ?)
            """, [user, Data(id)])
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            let isConfirmed = try SQLUserStore.permitted(grounds, db).hasAuthenticator
            try db.run("DELETE FROM authenticator WHERE user_id = ?", [user.rawValue])
            if isConfirmed { try SQLRecoveryStore.end(user, .factorsChanged, db, at: now) }
            return isConfirmed
        }
    }

    /// Gives the accepted authenticator of a sign-up to its user.
    ///
    /// - Returns: whether there is such a one.
    static func assign(_ id: [UInt8], to user: UserID, _ db: SQLSession) throws -> Bool {
        try db.run(
            """
            UPDATE authenticator SET user_id = ?, sign_up = NULL, facts = NULL, expires_at = NULL
            WHERE id = ? AND user_id IS NULL AND confirmed = 1
            """, [user.rawValue, Data(id)]) == 1
    }

    /// Gives a user a confirmed authenticator, unless there is one.
    static func addFirst(_ authenticator: StoredTOTP?, of user: UserID, _ db: SQLSession, at now: UnixTime)
        throws
    {
        guard let authenticator else { return }
        try db.run(
            """
            INSERT INTO authenticator (id, user_id, sealed, confirmed, used_step, created_at)
            SELECT ?1, ?2, ?3, 1, ?4, ?5
            WHERE NOT EXISTS (SELECT 1 FROM authenticator WHERE user_id = ?2 AND confirmed = 1)
            """,
            [
                Data(authenticator.id), user.rawValue, Data(authenticator.sealed), authenticator.usedStep, now.rawValue,
            ])
    }

    /// The confirmed authenticator of a user.
    static func confirmed(of user: UserID, _ db: SQLSession) throws -> StoredTOTP? {
        try db.first("SELECT \(columns) FROM authenticator WHERE user_id = ? AND confirmed = 1", [user.rawValue])
            .map(stored)
    }

    private static func stored(_ row: SQLRow) throws -> StoredTOTP {
        StoredTOTP(
            id: row.bytes("id"), sealed: row.bytes("sealed"), isConfirmed: row["confirmed"],
            usedStep: row["used_step"], facts: row["facts"] as String? == nil ? nil : try row.facts(),
            begunIn: begun(row), createdAt: row.time("created_at"))
    }

    private static func begun(_ row: SQLRow) -> StoredTOTP.Session? {
        if let bytes: Data = row["grant_id"] { return GrantID(bytes: Array(bytes)).map { .grant($0) } }
        return (row["session_id"] as String?).map(StoredTOTP.Session.init(name:))
    }

    private static func lock(of owner: AuthenticatorOwner) -> SQLLock {
        switch owner {
        case .user(let id): .user(id, shared: false)
        case .signUp: .name("authenticator:\(place(of: owner).name)")
        }
    }

    private static func place(of owner: AuthenticatorOwner) -> (column: String, name: String) {
        switch owner {
        case .user(let id): ("user_id", id.rawValue)
        case .signUp(let identifier): ("sign_up", "\(identifier.kind.rawValue):\(identifier.value)")
        }
    }
}

extension StoredTOTP.Session {
    fileprivate var grant: Data? {
        guard case .grant(let id) = self else { return nil }
        return Data(id.bytes)
    }

    /// No session of a browser has a name with a colon.
    private static let signInMark = "sign-in:"

    fileprivate var name: String? {
        switch self {
        case .grant: nil
        case .browser(let id): id.rawValue
        case .signIn(let name): Self.signInMark + name
        }
    }

    fileprivate init(name: String) {
        self =
            name.hasPrefix(Self.signInMark)
            ? .signIn(String(name.dropFirst(Self.signInMark.count))) : .browser(SessionID(rawValue: name))
    }
}

/// Recovery codes.
struct SQLRecoveryCodeStore: RecoveryCodeStore {
    let database: any SQLDatabase

    func replace(
        by allowed: consuming Allowed<Acts.MakeRecoveryCodes>, with digests: [SecretDigest], at now: UnixTime
    ) async throws(StoreError) {
        let grounds = allowed.grounds
        let user = grounds.user
        try await database.write(.changing(user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            try db.run("DELETE FROM recovery_code WHERE user_id = ?", [user.rawValue])
            for digest in digests {
                try db.run(
                    "INSERT INTO recovery_code (user_id, digest, created_at) VALUES (?, ?, ?)",
                    [user.rawValue, Data(digest.bytes), now.rawValue])
            }
        }
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemoveAuthenticator>, at now: UnixTime) async throws(StoreError) {
        let grounds = allowed.grounds
        try await database.write(.changing(grounds.user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            try db.run("DELETE FROM recovery_code WHERE user_id = ?", [grounds.user.rawValue])
        }
    }

    func spend(_ digests: [SecretDigest], of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.using(user)) { db in
            for digest in digests {
                let changed = try db.run(
                    "DELETE FROM recovery_code WHERE user_id = ? AND digest = ?", [user.rawValue, Data(digest.bytes)])
                guard changed == 1 else { continue }
                try SQLRecoveryStore.end(user, .factorUsed, db, at: now)
                return true
            }
            return false
        }
    }

    func count(of user: UserID) async throws(StoreError) -> Int {
        try await database.read { db in
            try db.first("SELECT count(*) AS n FROM recovery_code WHERE user_id = ?", [user.rawValue])?["n"] ?? 0
        }
    }
}
