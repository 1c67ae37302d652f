internal import Foundation
internal import GRDB
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// How values become columns and come back. Rows never leave this module.
extension Row {
    func time(_ column: String) -> UnixTime {
        UnixTime(rawValue: self[column])
    }

    func optionalTime(_ column: String) -> UnixTime? {
        (self[column] as Int64?).map(UnixTime.init(rawValue:))
    }

    func bytes(_ column: String) -> [UInt8] {
        Array(self[column] as Data)
    }

    func words(_ column: String) -> [String] {
        (self[column] as String).split(separator: " ").map(String.init)
    }

    var authentication: AuthenticationFacts {
        AuthenticationFacts(time: time("auth_time"), methods: words("amr"), contextClass: self["acr"])
    }

    /// A grant from a row that begins with ``GrantColumns/list``, by position: finding twenty columns by name takes
    /// longer than reading them. A damaged row is an error, never a guess.
    func grant() throws -> Grant {
        guard let id = GrantID(bytes: Array(self[0] as Data)), let scope = Scope(self[4] as String) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return Grant(
            id: id, clientID: self[1], userID: UserID(rawValue: self[2]),
            sessionID: (self[3] as String?).map(SessionID.init(rawValue:)), scope: scope,
            resources: Self.words(self[5]),
            authentication: AuthenticationFacts(
                time: UnixTime(rawValue: self[6]), methods: Self.words(self[7]), contextClass: self[8]),
            nonce: self[9], claimsRequest: self[10], authorizationDetails: try Self.details(self[20]),
            keyThumbprint: self[15], wantsBearer: self[16], tenantID: self[17],
            sessionClaims: try (self[18] as String?).map { SessionClaims(stored: try Self.members($0)) } ?? .none,
            supersedes: (self[19] as Data?).flatMap { GrantID(bytes: Array($0)) }, counter: self[11],
            createdAt: UnixTime(rawValue: self[12]), idleExpiresAt: UnixTime(rawValue: self[13]),
            absoluteExpiresAt: UnixTime(rawValue: self[14]))
    }

    /// A grant from a row that begins with ``GrantColumns/withReauthentication``.
    func grantWithReauthentication() throws -> Grant {
        var grant = try grant()
        grant.canReauthenticate = self[GrantColumns.count]
        return grant
    }

    private static func details(_ text: String?) throws -> AuthorizationDetails? {
        guard let text else { return nil }
        guard let details = AuthorizationDetails(parsing: text, bytesMax: Limits.detailsBytesMax * 2) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return details
    }

    private static func words(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: " ").map(String.init)
    }

    func user(prefix: String = "") throws -> User {
        guard let status = User.Status(rawValue: self["\(prefix)status"]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return User(
            id: UserID(rawValue: self["\(prefix)id"]), status: status, claims: try members("\(prefix)claims"),
            attributes: try members("\(prefix)attributes"), isTest: self["\(prefix)is_test"],
            createdAt: time("\(prefix)created_at"), updatedAt: time("\(prefix)updated_at"),
            epoch: self["\(prefix)epoch"])
    }

    /// A user with what ``AccountColumns/list`` added to the row, and the column `roles`.
    func account(user: User) throws -> Account {
        var identifiers: [Identifier: Account.Verification] = [:]
        for parts in try tuples("identifiers") {
            guard parts.count == 3, let value = parts[1].stringValue,
                let kind = parts[0].stringValue.flatMap(Identifier.Kind.init(rawValue:))
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            identifiers[Identifier(kind: kind, storedValue: value)] =
                parts[2].integerValue == 1 ? .verified : .unverified
        }
        var memberships = Memberships(roles: try list("roles"))
        for parts in try tuples("tenants") {
            guard parts.count == 2, let tenant = parts[0].stringValue, let roles = parts[1].stringArrayValue else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            memberships.tenants[tenant] = roles
        }
        return Account(
            user: user, identifiers: identifiers, passwordHash: self["hash"], memberships: memberships,
            hasAuthenticator: self["has_authenticator"], hasPasskey: self["has_passkey"])
    }

    private func tuples(_ column: String) throws -> [[JSONValue]] {
        let tuples = try? JSONValue(parsing: (self[column] as String).utf8, limits: .stored).arrayValue?
            .compactMap(\.arrayValue)
        guard let tuples else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        return tuples
    }

    /// A column that holds a JSON object.
    func members(_ column: String) throws -> [String: JSONValue] {
        try Self.members(self[column])
    }

    /// A column that holds a JSON array of strings.
    func list(_ column: String) throws -> [String] {
        guard let list = try? JSONValue(parsing: (self[column] as String).utf8, limits: .stored).stringArrayValue else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return list
    }

    private static func members(_ text: String) throws -> [String: JSONValue] {
        guard let members = try? JSONValue(parsing: text.utf8, limits: .stored).objectValue else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return members
    }
}

/// The columns of a grant, in the order in which ``Row/grant()`` reads them.
enum GrantColumns {
    static let list = """
        id, client_id, user_id, session_id, scope, resources, auth_time, amr, acr, nonce, claims, counter, created_at,
        idle_expires_at, absolute_expires_at, key, bearer, tenant, session_claims, supersedes, details
        """
    /// How many they are.
    static let count = 21

    /// The same, of a table with another name in the statement.
    static func list(of table: String) -> String {
        list.split { $0 == "," || $0 == "\n" }.map { "\(table).\($0.drop { $0 == " " })" }
            .filter { $0 != "\(table)." }.joined(separator: ", ")
    }

    /// Those, and after them whether the user has anything to prove again who they are with. For a statement that writes the
    /// table under its own name.
    static let withReauthentication = list + ", " + reauthentication

    /// That alone.
    static let reauthentication = """
        (EXISTS (SELECT 1 FROM password p WHERE p.user_id = grant_.user_id)
            OR EXISTS (SELECT 1 FROM identifier i WHERE i.user_id = grant_.user_id AND i.verified = 1
                AND i.kind IN ('email', 'phone'))
            OR EXISTS (SELECT 1 FROM authenticator a WHERE a.user_id = grant_.user_id AND a.confirmed = 1)
            OR EXISTS (SELECT 1 FROM passkey k WHERE k.user_id = grant_.user_id AND k.active = 1))
        """

    /// Those, and what decides whether a code or a refresh token is still good.
    static let withState =
        list
        + ", redeemed_at, rotated_at, rotations, late_retry_at, late_counter, late_repetitions, refresh_network, ended_at, end_reason, "
        + "code_expires_at, redirect_uri, code_challenge, code_key"
}

/// What a user has in other tables, each as one JSON text, so that one statement is enough. For a statement that knows the
/// user as `u` and the password as `p`.
enum AccountColumns {
    static let list = """
        p.hash,
        (SELECT json_group_array(json_array(i.kind, i.value, i.verified)) FROM identifier i WHERE i.user_id = u.id)
            AS identifiers,
        (SELECT json_group_array(json_array(m.tenant_id, json(m.roles))) FROM membership m WHERE m.user_id = u.id)
            AS tenants,
        EXISTS (SELECT 1 FROM authenticator a WHERE a.user_id = u.id AND a.confirmed = 1) AS has_authenticator,
        EXISTS (SELECT 1 FROM passkey k WHERE k.user_id = u.id AND k.active = 1) AS has_passkey
        """
}

extension JSONValue.Limits {
    /// What was checked before it was written.
    static let stored = JSONValue.Limits(bytesMax: 1_048_576, depthMax: 32, membersMax: 10_000)
}

extension [String] {
    /// The JSON array that goes into a column.
    var columnText: String { JSONValue.array(map(JSONValue.string)).columnText }
}

extension JSONValue {
    /// The text that goes into a column.
    var columnText: String { String(decoding: serialized, as: UTF8.self) }
}

/// What is bound to the places of a statement, in order.
typealias Values = [(any DatabaseValueConvertible)?]

extension Database {
    /// Executes a statement that is prepared once for each connection.
    func run(_ sql: String, _ values: Values) throws {
        try cachedStatement(sql: sql).execute(arguments: Self.bound(values))
    }

    /// The first row, from a statement that is prepared once for each connection.
    func first(_ sql: String, _ values: Values) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: Self.bound(values))
    }

    /// Every row, from a statement that is prepared once for each connection.
    func all(_ sql: String, _ values: Values) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: Self.bound(values))
    }

    /// Every row, from a statement that was put together for this once.
    func search(_ sql: String, _ values: Values) throws -> [Row] {
        try Row.fetchAll(self, sql: sql, arguments: Self.bound(values))
    }

    /// SQLite's interface would cut a text at its first zero byte, so that one name could pass for another. Such a text is
    /// bound as bytes: it equals no text, and no column of texts takes it.
    private static func bound(_ values: Values) -> StatementArguments {
        StatementArguments(
            values.map { value in
                guard let text = value as? String, text.utf8.contains(0) else { return value }
                return Data(text.utf8)
            })
    }
}
