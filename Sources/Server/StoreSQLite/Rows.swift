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

    /// A damaged row is an error, never a guess.
    func grant() throws -> Grant {
        guard let id = GrantID(bytes: bytes("id")), let scope = Scope(self["scope"] as String) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return Grant(
            id: id, clientID: self["client_id"], userID: UserID(rawValue: self["user_id"]),
            sessionID: (self["session_id"] as String?).map(SessionID.init(rawValue:)), scope: scope,
            resources: words("resources"), authentication: authentication, nonce: self["nonce"],
            claimsRequest: self["claims"], counter: self["counter"], createdAt: time("created_at"),
            idleExpiresAt: time("idle_expires_at"), absoluteExpiresAt: time("absolute_expires_at"))
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
