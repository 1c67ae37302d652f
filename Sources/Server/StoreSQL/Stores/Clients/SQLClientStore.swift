internal import Authority
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Registered clients.
struct SQLClientStore: ClientStore {
    let database: any SQLDatabase

    private static let columns = """
        id, metadata, secret_digests, first_party, resources, assertion_audiences, may_impersonate, profile,
        from_configuration, registration_digest, registered_at, assertion_seconds, strict_assertions,
        private_logout_address, created_at, of_others
        """
    private static let digestBytes = 32

    func all(limit: Int) async throws(StoreError) -> [Client] {
        try await database.read { db in
            try db.all("SELECT \(Self.columns) FROM client ORDER BY id LIMIT ?", [limit]).map(Self.client)
        }
    }

    func find(_ clientID: String) async throws(StoreError) -> Client? {
        try await database.read { db in
            try db.first("SELECT \(Self.columns) FROM client WHERE id = ?", [clientID]).map(Self.client)
        }
    }

    func contains(_ clientID: String) async throws(StoreError) -> Bool {
        try await database.read { db in try db.first("SELECT 1 FROM client WHERE id = ?", [clientID]) != nil }
    }

    private static let insertion = """
        INSERT INTO client (
            id, metadata, secret_digests, first_party, resources, assertion_audiences, may_impersonate, profile,
            from_configuration, updated_at, registration_digest, registered_at, assertion_seconds,
            strict_assertions, private_logout_address, created_at
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static func values(_ client: Client, _ now: UnixTime) throws -> Values {
        [
            client.id, try text(client.metadata), digests(client), client.isFirstParty,
            client.resources.joined(separator: " "), client.assertionAudiences.joined(separator: " "),
            JSONValue.array(client.mayImpersonate.map { .string($0.text) }).columnText,
            client.profile.rawValue, client.isFromConfiguration, now.rawValue,
            tokenDigest(client), client.registration?.registeredAt.rawValue, client.assertionSeconds,
            client.strictAssertions, client.allowsPrivateLogoutAddress, now.rawValue,
        ]
    }

    func put(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        async throws(StoreError)
    {
        guard permission.grounds.clientID == client.id, permission.grounds.allow(.registerManagementClient) else {
            throw StoreError(.forbidden)
        }
        try await database.once(.replicated) { db in
            try Self.makeWay(for: client, db, at: now)
            let values = try Self.values(client, now)
            try db.run(
                """
                \(Self.insertion)
                ON CONFLICT (id) DO UPDATE SET metadata = excluded.metadata, secret_digests = excluded.secret_digests,
                    first_party = excluded.first_party, resources = excluded.resources,
                    assertion_audiences = excluded.assertion_audiences, may_impersonate = excluded.may_impersonate,
                    profile = excluded.profile, assertion_seconds = excluded.assertion_seconds,
                    from_configuration = excluded.from_configuration, updated_at = excluded.updated_at,
                    registration_digest = excluded.registration_digest, registered_at = excluded.registered_at,
                    strict_assertions = excluded.strict_assertions,
                    private_logout_address = excluded.private_logout_address,
                    of_others = CASE WHEN client.from_configuration = 0 AND excluded.from_configuration = 1
                        THEN 1 ELSE client.of_others END
                """,
                values)
        }
    }

    /// A client of the file that is trusted with more than one of its name, which others made, is another one: what that
    /// one was given ends.
    private static func makeWay(for client: Client, _ db: SQLSession, at now: UnixTime) throws {
        let row = try db.first("SELECT \(columns) FROM client WHERE id = ?", [client.id])
        guard let present = try row.map(Self.client), client.replaces(present) else { return }
        try db.run("DELETE FROM client WHERE id = ?", [client.id])
        try endGifts(of: client.id, db, at: now)
    }

    func add(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try permission.grounds.requireCover(of: nil, client)
        return try await database.write(.guarded) { db in
            try db.run("\(Self.insertion) ON CONFLICT (id) DO NOTHING", try Self.values(client, now)) == 1
        }
    }

    func change(
        by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Client) -> Void
    ) async throws(StoreError) -> Client {
        let grounds = permission.grounds
        let clientID = try grounds.requireClient()
        return try await database.write(.locking([.name("client:\(clientID)")])) { db in
            let row = try db.first("SELECT \(Self.columns) FROM client WHERE id = ?", [clientID])
            guard let before = try row.map(Self.client) else { throw StoreError(.missing) }
            var client = before
            rule(&client)
            try grounds.requireCover(of: before, client)
            try db.run(
                "UPDATE client SET metadata = ?, secret_digests = ?, updated_at = ? WHERE id = ?",
                [try Self.text(client.metadata), Self.digests(client), now.rawValue, clientID])
            return client
        }
    }

    func register(
        _ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, max: Int, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try permission.grounds.requireRegistered(client)
        return try await database.write(.locking([.name("clients")])) { db in
            return try db.run(
                """
                INSERT INTO client (
                    id, metadata, secret_digests, first_party, resources, from_configuration, updated_at,
                    registration_digest, registered_at, created_at
                )
                SELECT ?1, ?2, ?3, 0, '', 0, ?4, ?5, ?6, ?4
                WHERE (SELECT count(*) FROM client WHERE registered_at IS NOT NULL) < ?7
                ON CONFLICT DO NOTHING
                """,
                [
                    client.id, try Self.text(client.metadata), Self.digests(client), now.rawValue,
                    Self.tokenDigest(client), client.registration?.registeredAt.rawValue, max,
                ]) == 1
        }
    }

    func replace(_ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try permission.grounds.requireRegistered(client)
        return try await database.write(.locking([.name("client:\(client.id)")])) { db in
            // A secret that an operator changed since the caller looked stays changed.
            try db.run(
                """
                UPDATE client SET metadata = ?1, updated_at = ?3, secret_digests =
                    CASE WHEN length(secret_digests) > 0 AND length(?2) > 0 THEN secret_digests ELSE ?2 END
                WHERE id = ?4 AND registration_digest = ?5
                """,
                [
                    try Self.text(client.metadata), Self.digests(client), now.rawValue, client.id,
                    Self.tokenDigest(client),
                ]) == 1
        }
    }

    private static func text(_ metadata: ClientMetadata) throws -> String {
        String(decoding: try JSONEncoder().encode(metadata), as: UTF8.self)
    }

    private static func tokenDigest(_ client: Client) -> Data? {
        client.registration.map { Data($0.tokenDigest.bytes) }
    }

    private static func registration(_ row: SQLRow) -> ClientRegistration? {
        guard let digest = row["registration_digest"] as Data?, let at = row.optionalTime("registered_at") else {
            return nil
        }
        return ClientRegistration(tokenDigest: SecretDigest(storedBytes: Array(digest)), registeredAt: at)
    }

    private static func digests(_ client: Client) -> Data {
        Data(client.secretDigests.flatMap(\.bytes))
    }

    func remove(by permission: borrowing Allowed<Acts.RemoveClient>, at now: UnixTime) async throws(StoreError) -> Bool
    {
        let grounds = permission.grounds
        let clientID = try grounds.requireClient()
        return try await database.write(.guarded) { db in
            let row = try db.first("DELETE FROM client WHERE id = ? RETURNING \(Self.columns)", [clientID])
            guard let row else { return false }
            try grounds.requireRemoval(of: Self.client(row))
            try Self.endGifts(of: clientID, db, at: now)
            return true
        }
    }

    /// Ends what users gave a client: their consent, their devices' keys, their grants.
    private static func endGifts(of clientID: String, _ db: SQLSession, at now: UnixTime) throws {
        for table in ["consent", "consent_claim", "consent_resource", "consent_redirect"] {
            try db.run("DELETE FROM \(table) WHERE client_id = ?", [clientID])
        }
        // Before the grants: what a key opened at the same time ends with them.
        try removeDeviceKeys(of: [clientID], db)
        try SQLGrantStore.end("client_id = ?", [clientID], .administrator, db, at: now)
    }

    func removeUnused(by permission: borrowing Allowed<Acts.RemoveClient>, before time: UnixTime, limit: Int)
        async throws(StoreError) -> [String]
    {
        try permission.grounds.requireNoUser()
        return try await database.write(.guarded) { db in
            let ids: [String] = try db.all(
                """
                DELETE FROM client WHERE id IN (
                    SELECT id FROM client
                    WHERE registered_at <= ?1 AND updated_at <= ?1
                        AND NOT EXISTS (SELECT 1 FROM grant_ WHERE grant_.client_id = client.id)
                        AND NOT EXISTS (SELECT 1 FROM consent WHERE consent.client_id = client.id)
                    LIMIT ?2
                ) RETURNING id
                """,
                [time.rawValue, limit]
            ).map { $0["id"] }
            // A key outlives the grants that it opened.
            try Self.removeDeviceKeys(of: ids, db)
            return ids
        }
    }

    /// A client of the same name is another one: what devices keep for this one opens nothing there. An anonymous user
    /// without a key is removed like one who was not seen for long.
    private static func removeDeviceKeys(of clients: [String], _ db: SQLSession) throws {
        guard !clients.isEmpty else { return }
        let marks = clients.map { _ in "?" }.joined(separator: ", ")
        let values: Values = clients.map { $0 as any SQLValue }
        try db.run("DELETE FROM biometric_key WHERE client_id IN (\(marks))", values)
        try db.run("DELETE FROM anonymous_key WHERE client_id IN (\(marks))", values)
    }

    private static func client(_ row: SQLRow) throws -> Client {
        let digests = row.bytes("secret_digests")
        guard digests.count % digestBytes == 0 else { throw SQLProblem.damagedRow }
        var client = Client(
            id: row["id"],
            metadata: try JSONDecoder().decode(ClientMetadata.self, from: Data((row["metadata"] as String).utf8)),
            secretDigests: stride(from: 0, to: digests.count, by: digestBytes).map {
                SecretDigest(storedBytes: Array(digests[$0..<($0 + digestBytes)]))
            },
            isFirstParty: row["first_party"], resources: row.words("resources"),
            assertionAudiences: row.words("assertion_audiences"), assertionSeconds: row["assertion_seconds"],
            mayImpersonate: try impersonation(row), profile: try profile(row),
            strictAssertions: row["strict_assertions"], allowsPrivateLogoutAddress: row["private_logout_address"],
            isFromConfiguration: row["from_configuration"], registration: registration(row))
        client.createdAt = (row["created_at"] as Int64?).map(UnixTime.init(rawValue:))
        client.wasOthers = row["of_others"]
        return client
    }

    private static func impersonation(_ row: SQLRow) throws -> [ImpersonationRule] {
        guard
            let texts = try? JSONValue(parsing: (row["may_impersonate"] as String).utf8, limits: .stored)
                .stringArrayValue
        else { throw SQLProblem.damagedRow }
        return texts.compactMap(ImpersonationRule.init(text:))
    }

    /// A profile of a later release must not be ignored.
    private static func profile(_ row: SQLRow) throws -> ClientProfile {
        guard let profile = ClientProfile(rawValue: row["profile"]) else {
            throw SQLProblem.damagedRow
        }
        return profile
    }
}
