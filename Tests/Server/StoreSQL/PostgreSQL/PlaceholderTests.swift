import Testing

@testable import StoreSQL

@Suite("PostgreSQL: the places of parameters")
struct PlaceholderTests {
    @Test(arguments: [
        ("SELECT 1", "SELECT 1"), ("SELECT ?, ?", "SELECT $1, $2"), ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2"),
        ("SELECT ?12 WHERE ?", "SELECT $12 WHERE $13"), ("SELECT '?', \"?\", ?", "SELECT '?', \"?\", $1"),
        ("SELECT 'it''s ?' || ?", "SELECT 'it''s ?' || $1"), ("SELECT ? -- what?\n, ?", "SELECT $1 \n, $2"),
        ("SELECT ? - ?", "SELECT $1 - $2"), ("SELECT 'ü?', ?", "SELECT 'ü?', $1"), ("SELECT 'open ?", "SELECT 'open ?"),
    ])
    func `are numbered outside of quotes, and comments are left out`(_ sql: String, _ expected: String) {
        #expect(Placeholders.numbered(sql) == expected)
    }

    @Test(arguments: [
        ("23505", PostgreSQLProblem.Kind.conflict), ("23503", .conflict), ("53100", .full), ("40P01", .contention),
        ("40001", .contention), ("55P03", .contention), ("57P01", .lost), ("25006", .lost), ("08006", .lost),
        ("", .lost),
        ("26000", .stale), ("22021", .conflict), ("57014", .failed), ("42601", .failed), ("53300", .failed),
    ])
    func `a state tells what to do`(_ state: String, _ kind: PostgreSQLProblem.Kind) {
        #expect(PostgreSQLProblem.kind(state, "") == kind)
        #expect(PostgreSQLProblem.kind("0A000", "cached plan must not change result type") == .stale)
        #expect(PostgreSQLProblem.kind("0A000", "not supported") == .failed)
    }
}
