internal import Foundation
internal import KeyturnBase
internal import Model

/// Sealed state of sign-ins at providers.
struct SQLFederationStateStore: FederationStateStore {
    let database: any SQLDatabase

    func keep(_ sealed: [UInt8], under digest: SecretDigest, until expiresAt: UnixTime) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run(
                "INSERT INTO federation_state (digest, sealed, expires_at) VALUES (?, ?, ?)",
                [Data(digest.bytes), Data(sealed), expiresAt.rawValue])
        }
    }

    func peek(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> [UInt8]? {
        try await database.read { db in
            try db.first(
                "SELECT sealed FROM federation_state WHERE digest = ? AND expires_at > ?",
                [Data(digest.bytes), now.rawValue]
            ).map { Array($0["sealed"] as Data) }
        }
    }

    func take(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> [UInt8]? {
        try await database.once(.replicated) { db in
            try db.first(
                "DELETE FROM federation_state WHERE digest = ? AND expires_at > ? RETURNING sealed",
                [Data(digest.bytes), now.rawValue]
            ).map { Array($0["sealed"] as Data) }
        }
    }
}
