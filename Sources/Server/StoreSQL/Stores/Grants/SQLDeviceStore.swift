internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Devices that wait for approval, one row each, by the digest of their code.
struct SQLDeviceStore: DeviceStore {
    let database: any SQLDatabase

    /// The columns that ``SQLRow/device()`` reads.
    private static let columns = """
        digest, client_id, scope, resources, needs_several, key, network, created_at, expires_at, decided_at, grant_id
        """

    func add(_ device: DeviceAuthorization, userCode: SecretDigest) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                """
                INSERT INTO device_authorization (
                    digest, user_code, client_id, scope, resources, needs_several, key, network, created_at, expires_at,
                    interval, next_poll_at, is_early
                ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?9, 0) ON CONFLICT (user_code) DO NOTHING
                """,
                [
                    Data(device.id.bytes), Data(userCode.bytes), device.clientID, device.scope.text,
                    device.resources.joined(separator: " "), device.needsSeveralFactors, device.keyThumbprint,
                    device.network, device.createdAt.rawValue, device.expiresAt.rawValue, Limits.deviceIntervalSeconds,
                ]) == 1
        }
    }

    func authorization(userCode: [SecretDigest]) async throws(StoreError) -> DeviceAuthorization? {
        try await database.read { db in
            for digest in userCode {
                let sql = "SELECT \(Self.columns) FROM device_authorization WHERE user_code = ?"
                if let row = try db.first(sql, [Data(digest.bytes)]) { return try row.device() }
            }
            return nil
        }
    }

    func authorization(_ id: SecretDigest) async throws(StoreError) -> DeviceAuthorization? {
        try await database.read { db in
            try db.first("SELECT \(Self.columns) FROM device_authorization WHERE digest = ?", [Data(id.bytes)])?
                .device()
        }
    }

    func allow(_ id: SecretDigest, _ grant: Grant, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        try await database.write(.using(grant.userID)) { db in
            // First, because it is the gate: of two answers only one decides.
            let gate = try db.first(
                """
                UPDATE device_authorization SET decided_at = ?1, grant_id = ?2
                WHERE digest = ?3 AND decided_at IS NULL AND expires_at > ?1
                    AND EXISTS (SELECT 1 FROM session
                        WHERE id = ?4 AND user_id = ?5 AND expires_at > ?1 AND grant_id IS NULL)
                RETURNING client_id
                """,
                [now.rawValue, Data(grant.id.bytes), Data(id.bytes), grant.sessionID?.rawValue, grant.userID.rawValue])
            guard let gate else { return try Self.why(Data(id.bytes), db, at: now) }
            try AwaitedGrants.insert(grant, of: gate["client_id"], db, at: now)
            return .made
        }
    }

    func deny(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        try await database.write(.guarded) { db in
            return try db.run(
                """
                UPDATE device_authorization SET decided_at = ?1
                WHERE digest = ?2 AND decided_at IS NULL AND expires_at > ?1
                """,
                [now.rawValue, Data(id.bytes)]) == 1 ? .made : try Self.why(Data(id.bytes), db, at: now)
        }
    }

    /// Why nothing was decided.
    private static func why(_ digest: Data, _ db: SQLSession, at now: UnixTime) throws -> DeviceDecision {
        let row = try db.first(
            "SELECT decided_at, expires_at FROM device_authorization WHERE digest = ?", [digest])
        guard let row else { return .expired }
        guard row.optionalTime("decided_at") == nil else { return .tooLate }
        return now < row.time("expires_at") ? .signedOut : .expired
    }

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer {
        try await database.write(.guarded) { db in
            try AwaitedGrants.answer(poll, in: "device_authorization", idleSeconds: idleSeconds, db, at: now)
        }
    }
}

extension SQLRow {
    fileprivate func device() throws -> DeviceAuthorization {
        guard let scope = Scope(self["scope"] as String) else { throw SQLProblem.damagedRow }
        let decision: DeviceAuthorization.Decision =
            optionalTime("decided_at") == nil ? .pending : (self["grant_id"] as Data?) == nil ? .denied : .allowed
        return DeviceAuthorization(
            id: SecretDigest(storedBytes: bytes("digest")), clientID: self["client_id"], scope: scope,
            resources: words("resources"), needsSeveralFactors: self["needs_several"], keyThumbprint: self["key"],
            network: self["network"], createdAt: time("created_at"), expiresAt: time("expires_at"),
            decision: decision)
    }
}
