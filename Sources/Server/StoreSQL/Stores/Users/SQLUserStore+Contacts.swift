internal import KeyturnBase
internal import Model

/// Addresses that messages go to, which need not be login IDs.
extension SQLUserStore {
    private static let byEmail = SQLText { "\(account($0)) WHERE \(contact("email", $0)) IN (?1, ?2) AND u.id <> ?3" }
    private static let byPhone = SQLText {
        "\(account($0)) WHERE \(contact("phone_number", $0)) IN (?1, ?2) AND u.id <> ?3"
    }

    /// As the indexes `user_email` and `user_phone` have it, word for word.
    private static func contact(_ claim: String, _ sql: any SQLFragments) -> String {
        "substr(\(sql.lowercase(sql.jsonText("u.claims", claim))), 1, \(Identifier.bytesMax))"
    }

    func isContact(_ address: Identifier, besides user: UserID?) async throws(StoreError) -> Bool {
        try await database.read { db in try Self.isContact(address, besides: user, db) }
    }

    static func isContact(_ address: Identifier, besides user: UserID?, _ db: SQLSession) throws -> Bool {
        let statement: SQLText? =
            switch address.kind {
            case .email: byEmail
            case .phone: byPhone
            case .username: nil
            }
        guard let statement else { return false }
        return try db.all(
            statement, [address.value, address.formerSpelling ?? address.value, user?.rawValue ?? ""]
        ).contains { try account($0).knowsVerified(address) }
    }
}
