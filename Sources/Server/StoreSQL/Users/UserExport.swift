internal import GRDB
public import Model

extension SQLiteDatabase {
    /// Hands out every user in the order of creation, all as of one moment, one at a time: memory stays bounded, and
    /// whoever writes meanwhile does not wait.
    ///
    /// - Throws: ``StoreError``, and whatever `body` throws, which ends it.
    public func eachAccount(_ body: (Account) throws -> Void) throws {
        do {
            try connection.read { db in
                let rows = try Row.fetchCursor(db, sql: "\(SQLUserStore.account) ORDER BY u.rowid")
                while let row = try rows.next() { try body(SQLUserStore.account(row)) }
            }
        } catch let error as DatabaseError {
            throw StoreError(translating: error)
        }
    }

    /// Whether anybody has an authenticator that counts.
    public func hasAuthenticators() throws(StoreError) -> Bool {
        try read { db in
            try db.first("SELECT 1 FROM authenticator WHERE user_id IS NOT NULL AND confirmed = 1 LIMIT 1", []) != nil
        }
    }

    /// The same with the authenticators that count, sealed as they are stored.
    ///
    /// - Throws: as ``eachAccount(_:)``.
    public func eachAccountWithAuthenticator(_ body: (Account, StoredAuthenticator?) throws -> Void) throws {
        do {
            try connection.read { db in
                let rows = try Row.fetchCursor(db, sql: "\(SQLUserStore.account) ORDER BY u.rowid")
                while let row = try rows.next() {
                    let account = try SQLUserStore.account(row)
                    let authenticator =
                        account.hasAuthenticator
                        ? try SQLAuthenticatorStore.confirmed(of: account.user.id, db) : nil
                    try body(account, authenticator)
                }
            }
        } catch let error as DatabaseError {
            throw StoreError(translating: error)
        }
    }
}
