internal import KeyturnBase
internal import Model

/// Sign-outs at providers.
extension SQLFederatedIdentityStore {
    func noteSignOut(of key: FederatedIdentity.Key, at now: UnixTime) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run(
                """
                UPDATE federated_identity SET signed_out_at = ?4
                WHERE connection_id = ?1 AND issuer = ?2 AND subject = ?3
                    AND (signed_out_at IS NULL OR signed_out_at < ?4)
                """, [key.connectionID, key.issuer, key.subject, now.rawValue])
        }
    }
}
