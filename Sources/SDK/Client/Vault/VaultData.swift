public import KeyturnBase

/// Data of the app's own, under the key of the user who unlocked the vault.
extension Vault {
    /// Keeps `data` under `name`, in the place of what was there.
    ///
    /// - Parameters:
    ///   - data: 0…262 144 bytes; all of a user's data together must stay below some 700 000.
    ///   - name: 1…256 bytes. Stored as it is; what it names is sealed.
    /// - Throws: `vault.locked`; `configuration.invalid` for data that is too long; `store.unavailable`.
    public func put(_ data: [UInt8], named name: String) async throws(AuthError) {
        guard data.count <= Limits.vaultItemMaxBytes, (1...Limits.vaultNameMaxBytes).contains(name.utf8.count) else {
            throw AuthError(
                .misconfigured,
                "data has \(Limits.vaultItemMaxBytes) bytes at most, and a name of 1 to \(Limits.vaultNameMaxBytes)")
        }
        let opened = try await access.keeper.requireOpened()
        let ambient = access.ambient
        try await access.records.update(opened.user) { (record) throws(AuthError) in
            var next = try Self.own(record, opened)
            try next.seal(data, named: name, opened.key, ambient: ambient)
            return next
        }
    }

    /// What is kept under `name`; `nil`: nothing.
    ///
    /// - Throws: `vault.locked`; `vault.damaged`; `store.unavailable`.
    public func data(named name: String) async throws(AuthError) -> [UInt8]? {
        let opened = try await access.keeper.requireOpened()
        let record = try Self.own(try await access.records.find(opened.user)?.record, opened)
        return try record.openItem(name, opened.key)
    }

    /// The names under which something is kept, in alphabetical order.
    ///
    /// - Throws: `vault.locked`; `store.unavailable`.
    public var dataNames: [String] {
        get async throws(AuthError) {
            let opened = try await access.keeper.requireOpened()
            return try Self.own(try await access.records.find(opened.user)?.record, opened).items.keys.sorted()
        }
    }

    /// Removes what is kept under `name`. Removing nothing is no error.
    ///
    /// - Throws: `vault.locked`; `store.unavailable`.
    public func removeData(named name: String) async throws(AuthError) {
        let opened = try await access.keeper.requireOpened()
        try await access.records.update(opened.user) { (record) throws(AuthError) in
            var next = try Self.own(record, opened)
            return next.items.removeValue(forKey: name) == nil ? nil : next
        }
    }

    private static func own(_ record: VaultRecord?, _ opened: OpenedVault) throws(AuthError) -> VaultRecord {
        guard let record else { throw AuthError(.vaultIncomplete, "the user was cleared") }
        guard record.keyID == opened.keyID else {
            throw AuthError(.vaultLocked, "the key was changed elsewhere: unlock again")
        }
        return record
    }
}
