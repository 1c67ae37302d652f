internal import Foundation
internal import KeyturnBase
internal import Model

extension PostgreSQLConnection: SQLConnection {
    var takesLocks: Bool { true }

    /// The locks are taken with the next statement, before it.
    func hold(_ locks: [SQLLock]) throws(StoreError) {
        for lock in locks {
            let (sql, values) = lock.statement
            try translated { () throws(PostgreSQLProblem) in try queue(sql, values, isKept: true) }
        }
    }

    @discardableResult
    func run(_ sql: String, _ values: Values) throws(StoreError) -> Int {
        try rows(sql, values, isKept: true).changed
    }

    func send(_ sql: String, _ values: Values) throws(StoreError) {
        try translated { () throws(PostgreSQLProblem) in try queue(sql, values, isKept: true) }
        hasSent = true
    }

    func first(_ sql: String, _ values: Values) throws(StoreError) -> SQLRow? {
        let rows = try rows(sql, values, isKept: true)
        return rows.count == 0 ? nil : rows[0]
    }

    func all(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        let rows = try rows(sql, values, isKept: true)
        return (0..<rows.count).map { rows[$0] }
    }

    func search(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        let rows = try rows(sql, values, isKept: false)
        return (0..<rows.count).map { rows[$0] }
    }

    /// With a cursor, so only inside of a transaction.
    func each(_ sql: String, _ values: Values, _ body: (SQLRow) throws -> Void) throws {
        let name = "\"walk \(Ambient.live.randomToken())\""
        _ = try rows("DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", values, isKept: false)
        while true {
            let rows = try rows("FETCH 500 FROM \(name)", [], isKept: false)
            guard rows.count > 0 else { break }
            for row in 0..<rows.count { try body(rows[row]) }
        }
        _ = try rows("CLOSE \(name)", [], isKept: false)
    }

    private func rows(_ sql: String, _ values: Values, isKept: Bool) throws(StoreError) -> PostgreSQLRows {
        try translated { () throws(PostgreSQLProblem) in
            try queue(sql, values, isKept: isKept)
            guard let rows = try fly() else { throw PostgreSQLProblem(.failed, "a statement had no result") }
            return rows
        }
    }

    private func translated<Value>(_ body: () throws(PostgreSQLProblem) -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }
}

extension SQLLock {
    /// The statement that takes the lock until the transaction ends.
    var statement: (sql: String, values: Values) {
        switch self {
        case .name(let name):
            (Self.named, [Self.number(of: name)])
        case .user(let id, let shared):
            ("SELECT 1 FROM \"user\" WHERE id = ? \(Self.strength(shared))", [id.rawValue])
        case .owner(of: .authenticator(let id), let shared):
            (Self.owner("authenticator", shared), [Data(id)])
        case .owner(of: .passkey(let id), let shared):
            (Self.owner("passkey", shared), [id.rawValue])
        case .grant(let id):
            ("SELECT 1 FROM grant_ WHERE id = ? FOR SHARE", [Data(id.bytes)])
        case .rateLimit(let key):
            (Self.named, [Self.number(of: "budget:\(key)")])
        }
    }

    private static let named = "SELECT pg_advisory_xact_lock(?)"

    /// Rows that refer to the user may be added meanwhile.
    private static func strength(_ shared: Bool) -> String { shared ? "FOR SHARE" : "FOR NO KEY UPDATE" }

    private static func owner(_ table: String, _ shared: Bool) -> String {
        "SELECT 1 FROM \"user\" WHERE id = (SELECT user_id FROM \(table) WHERE id = ?) \(strength(shared))"
    }

    /// PostgreSQL's named locks are numbers.
    static func number(of name: String) -> Int64 {
        SecretDigest(of: Secret(name)).bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
