public import KeyturnBase

/// A vault that stays unlocked from one process to the next, as a command line needs it.
extension Vault {
    /// Stores the key beside what it opens, until ``lock(revokesUnstored:)``.
    ///
    /// As long as it lies there, every program that can read the store can read the session, as if there were no
    /// password. What was gained: renewals are sealed, ``lock(revokesUnstored:)`` needs no password, and once it is locked the key is
    /// nowhere on this machine.
    ///
    /// - Throws: `vault.locked`; `store.unavailable`.
    public func keepUnlocked() async throws(AuthError) {
        try await access.records.keepOpen(try await access.keeper.requireOpened())
    }

    /// Unlocks with the key that ``keepUnlocked()`` stored. Asks neither the network nor the user.
    ///
    /// - Returns: `false` if there is none, it opens nothing any more, or a user has signed in since.
    /// - Throws: `vault.damaged`; `store.unavailable`.
    @discardableResult
    public func resume() async throws(AuthError) -> Bool {
        guard let opened = try await access.records.findOpen(),
            let record = try await access.records.find(opened.user)?.record, record.keyID == opened.keyID,
            let session = record.session
        else { return false }
        let plain = await access.keeper.plain.read(access.records.container)
        if case .found(let stored) = plain, stored.generation.signIn != session.generation.signIn { return false }
        try await access.keeper.unlock(opened, access.records, storesRenewals: true)
        return true
    }
}

extension VaultRecords {
    private var openPlace: String { container + "/vault-open" }

    func keepOpen(_ opened: OpenedVault) async throws(AuthError) {
        let contents = JSONWriter.object { writer in
            writer.member("version", Int64(1))
            writer.member("user", opened.user)
            writer.member("key_id", opened.keyID)
            writer.member("key", Base64URL.encode(opened.key.exposed()))
        }
        let generation = Generation(signIn: ambient.randomToken(byteCount: 16), number: 1)
        _ = try await store.write(
            StoredRecord(generation: generation, contents: contents), for: openPlace, when: .always)
    }

    /// The vault whose key lies here; `nil`: none.
    func findOpen() async throws(AuthError) -> OpenedVault? {
        switch await store.read(openPlace) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let stored):
            guard let json = try? JSONValue(parsing: stored.contents), json["version"]?.integerValue == 1,
                let user = json["user"]?.stringValue, let keyID = json["key_id"]?.stringValue,
                let key = json["key"]?.stringValue.flatMap({ Base64URL.decode($0) }).flatMap({ DataKey(bytes: $0) })
            else { throw AuthError(.storeUnavailable, "the vault's open key is damaged") }
            return OpenedVault(user: user, keyID: keyID, key: key)
        }
    }

    /// Removes the key that lies here.
    ///
    /// - Parameter user: Only if it is theirs; `nil`: whosever it is, readable or not.
    func removeOpen(of user: String?) async throws(AuthError) {
        if let user {
            guard let opened = try? await findOpen(), opened.user == user else { return }
        }
        _ = try await store.remove(openPlace, when: .always)
    }
}
