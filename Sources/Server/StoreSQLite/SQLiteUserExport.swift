internal import GRDB
public import Identity

extension SQLiteDatabase {
    /// Hands out every user in the order of creation, all as of one moment, one at a time: memory stays bounded, and
    /// whoever writes meanwhile does not wait.
    ///
    /// - Throws: ``StoreError``, and whatever `body` throws, which ends it.
    public func eachAccount(_ body: (Account) throws -> Void) throws {
        do {
            try connection.read { db in
                let rows = try Row.fetchCursor(db, sql: "\(SQLiteUserStore.account) ORDER BY u.rowid")
                while let row = try rows.next() { try body(SQLiteUserStore.account(row)) }
            }
        } catch let error as DatabaseError {
            throw StoreError(translating: error)
        }
    }
}
