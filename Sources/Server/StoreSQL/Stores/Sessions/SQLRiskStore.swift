internal import Foundation
internal import KeyturnBase
internal import Model

/// Devices and countries of past sign-ins, and disputed sign-ins.
struct SQLRiskStore: RiskStore {
    let database: any SQLDatabase

    func past(of user: UserID, at now: UnixTime) async throws(StoreError) -> [PastSignIn] {
        try await database.read { db in
            try db.all(
                """
                SELECT device, country, trusted, latitude, longitude, used_at FROM past_sign_in
                WHERE user_id = ? AND used_at > ? ORDER BY used_at DESC, device, country, trusted LIMIT ?
                """,
                [user.rawValue, (now - Limits.pastSignInSeconds).rawValue, 2 * Limits.pastSignInsMax]
            ).map(\.pastSignIn)
        }
    }

    func remember(_ signIn: PastSignIn, of user: UserID) async throws(StoreError) {
        try await database.write(.using(user)) { db in
            try db.send(
                """
                INSERT INTO past_sign_in (user_id, device, country, trusted, latitude, longitude, first_at, used_at)
                SELECT u.id, ?2, ?3, ?4, ?5, ?6, ?7, ?7 FROM "user" u WHERE u.id = ?1
                ON CONFLICT (user_id, device, country, trusted) DO UPDATE SET latitude = excluded.latitude,
                    longitude = excluded.longitude, used_at = excluded.used_at
                """,
                [
                    user.rawValue, Data(signIn.device.bytes), signIn.place.country ?? "", signIn.isTrusted,
                    signIn.place.coordinates?.latitude, signIn.place.coordinates?.longitude, signIn.at.rawValue,
                ])
            try db.send(
                """
                DELETE FROM past_sign_in WHERE user_id = ?1 AND trusted = ?2 AND (device, country) NOT IN (
                    SELECT device, country FROM past_sign_in WHERE user_id = ?1 AND trusted = ?2
                    ORDER BY used_at DESC, device, country LIMIT ?3)
                """,
                [user.rawValue, signIn.isTrusted, Limits.pastSignInsMax])
        }
    }

    func state(of dispute: SignInDispute) async throws(StoreError) -> SignInDispute.State {
        try await database.read { db in try Self.state(of: dispute, db) }
    }

    func restorable(_ dispute: SignInDispute) async throws(StoreError) -> Set<Identifier> {
        try await database.read { db in
            guard try Self.state(of: dispute, db) == .open else { return [] }
            return try IdentifierHistory.former(dispute, db)?.restorable ?? []
        }
    }

    private static func state(of dispute: SignInDispute, _ db: SQLSession) throws -> SignInDispute.State {
        let mark = try db.first("SELECT 1 FROM spent WHERE digest = ?", [Data(dispute.mark.digest)])
        guard mark == nil else { return .carriedOut }
        return try mayDispute(dispute, db) ? .open : .void
    }

    /// Who signed in before the account changed hands has no say any more, nor has the reader of an address that is gone.
    private static func mayDispute(_ dispute: SignInDispute, _ db: SQLSession) throws -> Bool {
        let user = dispute.userID
        guard let row = try db.first("SELECT voided_at FROM \"user\" WHERE id = ?", [user.rawValue]) else {
            return false
        }
        if let voidedAt = row.optionalTime("voided_at"), voidedAt >= dispute.startedAt { return false }
        guard let reader = dispute.recipient else { return true }
        return try IdentifierHistory.former(dispute, db)?.has(reader) ?? false
    }

    func dispute(_ dispute: SignInDispute, event: AuditEvent, at now: UnixTime) async throws(StoreError) -> Bool {
        let user = dispute.userID
        return try await database.write(.changing(user)) { db in
            guard try Self.mayDispute(dispute, db) else { return false }
            // The INSERT is the single-use gate.
            guard try SQLReplayStore.spend(dispute.mark, db) else { return false }
            try Self.endSessions(of: user, since: dispute.signedInAt, db, at: now)
            for identity in try SQLFederatedIdentityStore.all(of: user, db) where identity.linkedAt >= dispute.startedAt
            {
                try RoleSources.withdraw(identity, db)
            }
            try BroughtMemberships.end(of: user, since: dispute.startedAt, db, at: now)
            try FormerMemberships.restore(user, since: dispute.startedAt, db)
            try SQLFederatedIdentityStore.end(of: user, since: dispute.startedAt, db, at: now)
            for (table, column) in Self.added {
                try db.run(
                    "DELETE FROM \(table) WHERE user_id = ? AND \(column) >= ?",
                    [user.rawValue, dispute.startedAt.rawValue])
            }
            for (table, column) in Self.used {
                try db.run(
                    "DELETE FROM \(table) WHERE user_id = ? AND \(column) >= ?",
                    [user.rawValue, dispute.signedInAt.rawValue])
            }
            try IdentifierHistory.restore(dispute, db, at: now)
            try SQLPasswordStore.remove(of: user, db)
            try Revocation.end(.pendingOnly(.credentialChanged, at: now), of: user, db)
            try SQLUserStore.noteDispute(user, db, at: now)
            // The thief may have tokens of another service left.
            try Revocation.noteEnd(of: user, db, at: now)
            try SQLAuditStore.append([event], db)
            return true
        }
    }

    /// With what an attacker could come back, and since when it is there.
    private static let added = [
        ("passkey", "created_at"), ("authenticator", "created_at"), ("recovery_code", "created_at"),
        ("biometric_key", "created_at"), ("access_key", "created_at"),
        ("consent", "given_at"),
        ("consent_claim", "given_at"), ("consent_resource", "given_at"), ("consent_redirect", "given_at"),
    ]

    /// What was used in the disputed sign-in or after it, and could be again.
    private static let used = [("biometric_key", "used_at"), ("past_sign_in", "first_at")]

    private static func endSessions(of user: UserID, since time: UnixTime, _ db: SQLSession, at now: UnixTime) throws {
        let condition = "user_id = ? AND created_at >= ?"
        let values: Values = [user.rawValue, time.rawValue]
        try db.run("DELETE FROM session WHERE \(condition)", values)
        try SQLGrantStore.end(condition, values, .credentialChanged, db, at: now)
    }
}

extension SignInDispute {
    fileprivate var mark: ReplayMark { ReplayMark(of: digest.bytes, expiresAt: expiresAt) }
}

extension SQLRow {
    fileprivate var pastSignIn: PastSignIn {
        let country: String = self["country"]
        let latitude: Int? = self["latitude"]
        let longitude: Int? = self["longitude"]
        var coordinates: Coordinates?
        if let latitude, let longitude {
            coordinates = Coordinates(latitudeTenths: latitude, longitudeTenths: longitude)
        }
        return PastSignIn(
            device: SecretDigest(storedBytes: bytes("device")),
            place: NetworkLocation(country: country.isEmpty ? nil : country, coordinates: coordinates),
            at: time("used_at"), isTrusted: self["trusted"])
    }
}
