/// Accounts by the address that messages go to, which need not be a login ID. See `SQLUserStore.isContact(_:besides:)`.
extension Migrations {
    static let emailOfUser = Migration(
        number: 47, oldest: 38,
        .index(name: "user_email", on: "user (substr(lower(json_extract(claims, '$.email')), 1, 254))"))
    static let phoneOfUser = Migration(
        number: 48, oldest: 38,
        .index(name: "user_phone", on: "user (substr(lower(json_extract(claims, '$.phone_number')), 1, 254))"))
}

extension PostgreSQLMigrations {
    static let emailOfUser = Migration(number: 47, oldest: 38, .index(name: "user_email", on: columns("email")))
    static let phoneOfUser = Migration(number: 48, oldest: 38, .index(name: "user_phone", on: columns("phone_number")))

    private static func columns(_ claim: String) -> String {
        """
        "user" (substr(lower(((replace(claims, '\\u0000', '\\u2400')::json ->> '\(claim)')) COLLATE "C"), 1, 254))
        """
    }
}
