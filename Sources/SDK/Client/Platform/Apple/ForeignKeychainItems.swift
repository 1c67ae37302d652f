#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Generic passwords of other libraries: read without naming their protection, replaced and removed as they are.
    struct ForeignKeychainItems: Sendable {
        /// `nil`: any group of the app.
        let accessGroup: String?
        /// On the Mac, whether the older keychain is searched as well.
        let searchesFileKeychain: Bool

        /// The keychain adds an item without a service as one whose service is empty, so that can be asked for.
        func query(_ account: String, service: String = "") -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecAttrService as String: service, kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query
        }

        /// What the item holds, in either keychain; `nil` only where there certainly is none.
        func find(_ account: String, service: String = "") throws(KeychainStatus) -> [UInt8]? {
            if let found = try read(query(account, service: service)) { return found }
            for query in try fileQueries(account, service: service) {
                if let found = try read(query) { return found }
            }
            return nil
        }

        func remove(_ account: String, service: String = "") throws(KeychainStatus) {
            for query in [query(account, service: service)] + (try fileQueries(account, service: service)) {
                let status = KeychainStatus(rawValue: SecItemDelete(query as CFDictionary))
                guard status == .success || status == .itemNotFound else { throw status }
            }
        }

        func read(
            _ query: [String: Any], _ more: [String: Any] = [:]
        ) throws(KeychainStatus) -> [UInt8]? {
            let wanted: [String: Any] = [
                kSecReturnData as String: true, kSecReturnAttributes as String: true,
                kSecMatchLimit as String: kSecMatchLimitOne,
            ]
            var found: CFTypeRef?
            let query = query.merging(wanted) { $1 }.merging(more) { $1 }
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return nil }
            try status.check()
            guard let attributes = found as? [String: Any], let data = attributes[kSecValueData as String] as? Data
            else { throw .decode }
            return Array(data)
        }

        /// The Mac's older keychain: a query for each item of that name, by its reference, which excludes other
        /// attributes.
        func fileQueries(_ account: String, service: String = "") throws(KeychainStatus) -> [[String: Any]] {
            guard searchesFileKeychain else { return [] }
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecReturnAttributes as String: true, kSecReturnPersistentRef as String: true,
                kSecMatchLimit as String: kSecMatchLimitAll,
            ]
            var found: CFTypeRef?
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return [] }
            try status.check()
            guard let items = found as? [[String: Any]] else { throw .decode }
            return items.compactMap { item in
                guard item[kSecAttrService as String] as? String ?? "" == service,
                    let reference = item[kSecValuePersistentRef as String] as? Data
                else { return nil }
                return [
                    kSecClass as String: kSecClassGenericPassword, kSecValuePersistentRef as String: reference,
                ]
            }
        }
    }
#endif
