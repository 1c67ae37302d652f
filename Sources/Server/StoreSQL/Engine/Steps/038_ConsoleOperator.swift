/// Who may open the console.
extension Migrations {
    static let consoleOperator = Migration(
        number: 38,
        sql: """
            CREATE TABLE console_operator (
                user_id TEXT PRIMARY KEY NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
                role TEXT NOT NULL,
                since INTEGER NOT NULL,
                granted_by TEXT NOT NULL
            ) STRICT, WITHOUT ROWID;
            """)
}

extension PostgreSQLMigrations {
    static let consoleOperator = Migration(
        number: 38, oldest: 35,
        sql: """
            CREATE TABLE console_operator (
                user_id text COLLATE "C" PRIMARY KEY REFERENCES "user" (id) ON DELETE CASCADE,
                role text COLLATE "C" NOT NULL, since bigint NOT NULL, granted_by text COLLATE "C" NOT NULL
            );
            """)
}
