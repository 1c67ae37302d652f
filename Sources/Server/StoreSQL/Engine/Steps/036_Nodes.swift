/// What several servers of one database know of each other: who spent a mark, and where the clean-up is.
extension Migrations {
    static let nodes = Migration(
        number: 36,
        sql: """
            -- Random bytes of the use. NULL: it is not asked for again.
            ALTER TABLE spent ADD COLUMN attempt BLOB;

            -- Whoever holds the row of a task does it; the others skip it. The first one writes the row.
            CREATE TABLE upkeep (
                task TEXT PRIMARY KEY NOT NULL,
                -- Where the task goes on, in the engine's own words. Empty: at the beginning.
                position TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}

extension PostgreSQLMigrations {
    static let nodes = Migration(
        number: 36, oldest: 35,
        sql: """
            ALTER TABLE spent ADD COLUMN attempt bytea;
            CREATE TABLE upkeep (task text COLLATE "C" PRIMARY KEY, position text COLLATE "C" NOT NULL);
            """)
}
