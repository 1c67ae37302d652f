internal import KeyturnBase
internal import Model

/// What stays of a provisioned user whose account is deleted by another caller than the directory.
extension SQLSCIMUserStore {
    /// Tenants that deactivated the user keep the resource, with a disabled account that has nothing else: the person
    /// would come back at the tenant's provider otherwise.
    static func keepDeactivated(_ user: UserID, _ db: SQLSession, at now: UnixTime) throws {
        let rows = try db.all(
            "SELECT number, id FROM scim_resource WHERE user_id = ? AND active = 0 ORDER BY number", [user.rawValue])
        for row in rows {
            // Of two identifiers that are random: nothing leads back to either.
            let digest = SecretDigest(of: Secret("\(user.rawValue) \(row["id"] as String)"))
            let account = Account(
                user: User(
                    id: UserID(randomBytes: Array(digest.bytes.prefix(16))), status: .disabled, createdAt: now,
                    updatedAt: now),
                identifiers: [:], passwordHash: nil)
            try SQLUserStore.add(account, db)
            try db.run(
                """
                UPDATE scim_resource SET user_id = ?, made_user = 1, disabled_user = 1, given_login_id = ''
                WHERE number = ?
                """,
                [account.user.id.rawValue, row["number"] as Int64])
        }
    }
}
