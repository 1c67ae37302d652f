internal import Foundation
internal import GRDB
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

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
            nonce: self[9], claimsRequest: self[10], keyThumbprint: self[15], wantsBearer: self[16], counter: self[11],
            createdAt: UnixTime(rawValue: self[12]), idleExpiresAt: UnixTime(rawValue: self[13]),
            absoluteExpiresAt: UnixTime(rawValue: self[14]))
    }

    private static func words(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: " ").map(String.init)
    }

    func user(prefix: String = "") throws -> User {
        let text: String = self["\(prefix)claims"]
        guard let claims = try? JSONValue(parsing: text.utf8).objectValue,
            let status = User.Status(rawValue: self["\(prefix)status"])
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        return User(
            id: UserID(rawValue: self["\(prefix)id"]), status: status, claims: claims,
            createdAt: time("\(prefix)created_at"), updatedAt: time("\(prefix)updated_at"))
    }
}

/// The columns of a grant, in the order in which ``Row/grant()`` reads them.
enum GrantColumns {
    static let list = """
        id, client_id, user_id, session_id, scope, resources, auth_time, amr, acr, nonce, claims, counter, created_at,
        idle_expires_at, absolute_expires_at, key, bearer
        """
    /// Those, and what decides whether a code or a refresh token is still good.
    static let withState =
        list + ", redeemed_at, rotated_at, late_retry_at, ended_at, end_reason, "
        + "code_expires_at, redirect_uri, code_challenge, code_key"
}

extension JSONValue {
    /// The text that goes into a column.
    var columnText: String { String(decoding: serialized, as: UTF8.self) }
}

extension Database {
    /// Executes a statement that is prepared once for each connection.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The first row, from a statement that is prepared once for each connection.
    func first(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// Every row, from a statement that is prepared once for each connection.
    func all(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }
}
