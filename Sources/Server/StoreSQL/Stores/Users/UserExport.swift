package import Model

extension SQLDatabase {
    /// Passes every user to `body` in the order of creation, all from one snapshot, one at a time: memory stays
    /// bounded, and writers do not wait. Blocks the calling thread.
    ///
    /// - Throws: ``StoreError``, and what `body` throws, which ends it.
    package func eachAccount(_ body: (Account) throws -> Void) throws {
        try walk { db in
            try db.each(SQLUserStore.inOrder[db.dialect], []) { row in try body(SQLUserStore.account(row)) }
        }
    }

    /// Whether any user has a confirmed authenticator.
    package func hasAuthenticators() async throws(StoreError) -> Bool {
        try await read { db in
            try db.first("SELECT 1 FROM authenticator WHERE user_id IS NOT NULL AND confirmed = 1 LIMIT 1", []) != nil
        }
    }

    /// As ``eachAccount(_:)``, with the confirmed authenticators, sealed as they are stored.
    ///
    /// - Throws: as ``eachAccount(_:)``.
    package func eachAccountWithAuthenticator(_ body: (Account, StoredTOTP?) throws -> Void) throws {
        try walk { db in
            try db.each(SQLUserStore.inOrder[db.dialect], []) { row in
                let account = try SQLUserStore.account(row)
                let authenticator =
                    account.hasAuthenticator ? try SQLTOTPStore.confirmed(of: account.user.id, db) : nil
                try body(account, authenticator)
            }
        }
    }
}
