import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting

@testable import StoreSQL

/// A new database on the throw-away server, with users and grants to work on. It goes with this object.
final class PostgreSQLSandbox: Sendable {
    let name: String
    let now = UnixTime(rawValue: 1_000_000)

    init() throws {
        name = "sandbox_\(UUID().uuidString.prefix(8).lowercased())"
        try Self.administer("CREATE DATABASE \(name)")
    }

    deinit { try? Self.administer("DROP DATABASE \(name) WITH (FORCE)") }

    private static func administer(_ sql: String) throws {
        try PostgreSQLConnection(PostgreSQLServer.shared().address(of: "postgres"), defaults: []).script(sql)
    }

    func address() throws -> String { try PostgreSQLServer.shared().address(of: name) }

    func connection() throws -> PostgreSQLConnection { try PostgreSQLConnection(address(), defaults: []) }

    func session() throws -> SQLSession { SQLSession(try connection()) }

    /// A server's database, over a socket of another folder if there is one.
    func database(
        through folder: String? = nil, connectionsMax: Int = 8, onFlight: (@Sendable ([String]) -> Void)? = nil
    ) throws -> PostgreSQLDatabase {
        let address = try folder.map { "host=\($0) port=5432 user=postgres dbname=\(name)" } ?? address()
        return try PostgreSQLDatabase(address, connectionsMax: connectionsMax, onFlight: onFlight)
    }

    func user(_ stores: Stores, _ id: String = "u") async throws -> UserID {
        let user = User(id: UserID(rawValue: id), createdAt: now, updatedAt: now)
        try await stores.users.create(Account(user: user, identifiers: [:], passwordHash: nil))
        return user.id
    }

    func grant(of user: UserID) -> Grant {
        Grant(
            id: .make(.live), clientID: "web", userID: user, sessionID: nil, scope: Scope(names: ["openid"]),
            resources: [], authentication: .password(at: now), nonce: nil, claimsRequest: nil, createdAt: now,
            idleExpiresAt: now + 1_000, absoluteExpiresAt: now + 10_000)
    }

    /// How much was charged to a rate limit.
    func spent(_ key: String) throws -> Int64? {
        try session().first("SELECT spent FROM budget WHERE key = ?", [key])?["spent"]
    }
}
