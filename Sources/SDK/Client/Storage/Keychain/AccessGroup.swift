#if canImport(Security)
    internal import Foundation
    internal import KeyturnBase
    internal import Security

    /// The access group of a store's items, the same in every query.
    ///
    /// Without a group in the query, the keychain adds an item to the first group that the program is entitled to, but
    /// it looks for, changes and removes items in all of them, other apps' items in a shared group included. So the
    /// group is always named: by the app, or else as the canary of this program says, which the system put somewhere.
    /// The canary stays where it is when an update of the app changes the order of its groups, and so do the sessions.
    struct AccessGroup: Sendable {
        /// The item by which the keychain shows that it can be read, and where this program's items are.
        let canary: KeychainItem
        private let known: Locked<String?>
        private let accessibility: KeychainStore.Accessibility

        /// - Parameter name: The group that the app named; `nil`: the one of this program's canary.
        init(_ name: String?, service: String, accessibility: KeychainStore.Accessibility) {
            known = Locked(name)
            // A service of its own, so that removing what an earlier installation left does not remove it. One for each
            // accessibility, since another would prove nothing; and for each program, since another's in a shared
            // group would tell the wrong group.
            canary = KeychainItem(
                service: service + ".canary", account: accessibility.name + " " + (name ?? Self.program))
            self.accessibility = accessibility
        }

        /// The group. Adds the canary if there is none.
        ///
        /// - Throws: never `itemNotFound`, which callers take for an answer about their own item.
        func name() throws(KeychainStatus) -> String {
            if let name = known.withLock({ $0 }) { return name }
            let name = if let found = try find() { found } else { try added() }
            known.withLock { $0 = name }
            return name
        }

        /// The group.
        ///
        /// - Parameter subject: What could not be done without it, as the beginning of a sentence.
        func name(orFail subject: String) throws(AuthError) -> String {
            do throws(KeychainStatus) {
                return try name()
            } catch {
                throw error.problem(subject)
            }
        }

        private static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

        private func added() throws(KeychainStatus) -> String {
            var attributes = query
            attributes[kSecAttrGeneric as String] = Data(KeychainCanary.contents.label)
            attributes[kSecValueData as String] = Data(KeychainCanary.contents.secret)
            attributes[kSecAttrAccessible as String] = accessibility.constant
            let status = KeychainStatus(rawValue: SecItemAdd(attributes as CFDictionary, nil))
            // Another process of this program may have been first.
            if status != .duplicateItem { try status.check() }
            // It is there and not shown: as good as locked.
            guard let name = try find() else { throw .interactionNotAllowed }
            return name
        }

        private func find() throws(KeychainStatus) -> String? {
            var query = query
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return nil }
            try status.check()
            guard let name = (found as? [String: Any])?[kSecAttrAccessGroup as String] as? String else {
                throw .decode
            }
            return name
        }

        private var query: [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: canary.service,
                kSecAttrAccount as String: canary.account,
                kSecUseDataProtectionKeychain as String: true,
            ]
        }
    }
#endif
