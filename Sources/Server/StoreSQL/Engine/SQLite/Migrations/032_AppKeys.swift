/// The keys with which apps sign other apps in.
extension Migrations {
    static let appKeys = Migration(
        number: 32,
        sql: """
            -- The thumbprint of the key (RFC 7638); NULL: none was bound.
            ALTER TABLE grant_ ADD COLUMN app_key TEXT;
            """)
}
