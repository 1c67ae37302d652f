#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Generic-password items of the data-protection keychain.
    struct SystemKeychain: Keychain {
        let group: AccessGroup
        let accessibility: KeychainStore.Accessibility

        func read(_ item: KeychainItem) throws(KeychainStatus) -> KeychainContents {
            let found = try attributes(item, [kSecReturnData as String: true])
            guard let secret = found[kSecValueData as String] as? Data else { throw .decode }
            return KeychainContents(label: Self.label(found), secret: Array(secret))
        }

        func readLabel(_ item: KeychainItem) throws(KeychainStatus) -> [UInt8] {
            Self.label(try attributes(item, [:]))
        }

        func update(
            _ item: KeychainItem, labelled label: [UInt8]?, to contents: KeychainContents
        ) throws(KeychainStatus) {
            let query = try query(item, labelled: label)
            try status(SecItemUpdate(query as CFDictionary, changes(contents) as CFDictionary)).check()
        }

        func add(_ item: KeychainItem, _ contents: KeychainContents) throws(KeychainStatus) {
            let attributes = try query(item).merging(changes(contents)) { $1 }
            try status(SecItemAdd(attributes as CFDictionary, nil)).check()
        }

        func remove(_ item: KeychainItem, labelled label: [UInt8]?) throws(KeychainStatus) {
            try status(SecItemDelete(try query(item, labelled: label) as CFDictionary)).check()
        }

        func removeAll(service: String) throws(KeychainStatus) {
            try status(SecItemDelete(try query(service: service) as CFDictionary)).check()
        }
    }

    extension SystemKeychain {
        private func query(service: String) throws(KeychainStatus) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccessGroup as String: try group.name(),
                kSecUseDataProtectionKeychain as String: true,
            ]
        }

        /// No accessibility here: an item that was stored with another one would be neither found nor replaced.
        private func query(_ item: KeychainItem) throws(KeychainStatus) -> [String: Any] {
            try query(service: item.service).merging([kSecAttrAccount as String: item.account]) { $1 }
        }

        /// The keychain looks for the item and changes it in one transaction, so a label in the query is a condition.
        private func query(
            _ item: KeychainItem, labelled label: [UInt8]?
        ) throws(KeychainStatus) -> [String: Any] {
            var query = try query(item)
            if let label { query[kSecAttrGeneric as String] = Data(label) }
            return query
        }

        private func changes(_ contents: KeychainContents) -> [String: Any] {
            [
                kSecValueData as String: Data(contents.secret),
                kSecAttrGeneric as String: Data(contents.label),
                kSecAttrAccessible as String: accessibility.constant,
            ]
        }

        private func attributes(
            _ item: KeychainItem, _ wanted: [String: Any]
        ) throws(KeychainStatus) -> [String: Any] {
            var query = try query(item).merging(wanted) { $1 }
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            try status(unsafe SecItemCopyMatching(query as CFDictionary, &found)).check()
            guard let found = found as? [String: Any] else { throw .decode }
            return found
        }

        private func status(_ status: OSStatus) -> KeychainStatus { KeychainStatus(rawValue: status) }

        private static func label(_ found: [String: Any]) -> [UInt8] {
            (found[kSecAttrGeneric as String] as? Data).map(Array.init) ?? []
        }
    }

    extension KeychainStore.Accessibility {
        /// The framework's name for it.
        var constant: CFString {
            switch self {
            case .afterFirstUnlock(thisDeviceOnly: true): kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            case .afterFirstUnlock(thisDeviceOnly: false): kSecAttrAccessibleAfterFirstUnlock
            case .whenUnlocked(thisDeviceOnly: true): kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .whenUnlocked(thisDeviceOnly: false): kSecAttrAccessibleWhenUnlocked
            case .whenPasscodeSet: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
            }
        }
    }
#endif
