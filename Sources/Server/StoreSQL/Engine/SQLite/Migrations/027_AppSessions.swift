/// Sessions in which apps show pages of the settings.
extension Migrations {
    static let appSessions = Migration(
        number: 27,
        sql: """
            -- The app's grant with which the session ends; NULL: the user signed in in the browser.
            ALTER TABLE session ADD COLUMN grant_id BLOB REFERENCES grant_ (id) ON DELETE CASCADE;
            CREATE INDEX session_grant ON session (grant_id) WHERE grant_id IS NOT NULL;
            """)
}
