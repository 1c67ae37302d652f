/// What decides whether an older refresh token is an honest retry: the rotations of the last minute, and how often a
/// late one was accepted.
extension Migrations {
    static let refreshRepetitions = Migration(
        number: 16,
        sql: """
            ALTER TABLE grant_ ADD COLUMN rotations TEXT;
            ALTER TABLE grant_ ADD COLUMN late_counter INTEGER;
            ALTER TABLE grant_ ADD COLUMN late_repetitions INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE grant_ ADD COLUMN refresh_network TEXT;
            ALTER TABLE grant_ ADD COLUMN late_elsewhere INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE grant_ ADD COLUMN late_elsewhere_at INTEGER;
            UPDATE grant_ SET late_repetitions = 1, late_counter = iif(late_retry_at >= rotated_at, counter, counter - 2)
                WHERE late_retry_at IS NOT NULL;
            UPDATE grant_ SET rotations = printf('%08x%08x', rotated_at, counter - 1) WHERE rotated_at IS NOT NULL;
            """)
}
