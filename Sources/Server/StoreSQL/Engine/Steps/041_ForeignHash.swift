/// The password hashes that cost something else than the server's own: few, and found in the order of their text without
/// a look at the others. See `SQLPasswordStore.foreignHash(from:)`.
extension Migrations {
    static let foreignHash = Migration(number: 41, oldest: 38, ForeignHashIndex.work)
}

extension PostgreSQLMigrations {
    static let foreignHash = Migration(number: 41, oldest: 38, ForeignHashIndex.work)
}

private enum ForeignHashIndex {
    static let work = Migration.Work.index(
        name: "password_foreign",
        on: "password (hash) WHERE substr(hash, 1, 31) <> '$argon2id$v=19$m=19456,t=2,p=1$'")
}
