#if canImport(Security)
    internal import KeyturnBase

    /// A worthless item beside the valuable ones, with the same accessibility: what can be said of it can be said of
    /// them.
    ///
    /// Before the first unlock, and on some devices at other times, the keychain answers *not found* for items that are
    /// there. So *not found* counts only where the canary can be read, and where it is missing, only where it can be
    /// written and then read. A note elsewhere that it was written once would not do: preferences are as unreadable
    /// before the first unlock as the keychain is, and they travel to a new device where its items do not.
    struct KeychainCanary: Sendable {
        let keychain: any Keychain
        let item: KeychainItem
        static let contents = KeychainContents(label: [], secret: Array("canary".utf8))

        /// - Throws: `store.unavailable` unless items of this kind can be read now.
        func prove() throws(AuthError) {
            if try isReadable() { return }
            do throws(KeychainStatus) {
                try keychain.add(item, Self.contents)
            } catch {
                // Another process may have been first; then the next look shows it.
                guard error == .duplicateItem else { throw error.problem("nobody can tell what the keychain holds") }
            }
            guard try isReadable() else {
                throw AuthError(.storeUnavailable, "the keychain does not show what it holds; it may be locked")
            }
        }

        /// What `look` finds; `nil` only where there certainly is nothing.
        ///
        /// - Throws: `store.unavailable` if it cannot be known, and what `look` throws.
        func find<Found>(_ look: () throws(AuthError) -> Found?) throws(AuthError) -> Found? {
            if let found = try look() { return found }
            // The keychain may have opened or closed since, so the look that counts has a proof on either side.
            try prove()
            if let found = try look() { return found }
            try prove()
            return nil
        }

        private func isReadable() throws(AuthError) -> Bool {
            do throws(KeychainStatus) {
                return try keychain.read(item).secret == Self.contents.secret
            } catch {
                guard error == .itemNotFound else { throw error.problem("the keychain cannot be read") }
                return false
            }
        }
    }
#endif
