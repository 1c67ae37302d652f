#if canImport(LocalAuthentication) && canImport(Security) && !os(tvOS) && !os(watchOS)
    internal import Foundation
    public import KeyturnBase
    internal import LocalAuthentication
    internal import Security

    /// The items of Trifork's own library in the keychain: generic passwords that have an account and no service.
    ///
    /// Items of the same account that have a service belong to other programs, and are neither read nor touched. A
    /// keychain that is closed is no empty one; what it hides is not found, and nothing is removed because of that.
    public struct LegacyKeychain: LegacyVaultItems {
        private let accessGroup: String?
        private let searchesFileKeychain: Bool

        /// - Parameters:
        ///   - accessGroup: Where that library's items are; `nil`: in any group of the app, as that library looks for
        ///     them.
        ///   - searchesFileKeychain: On the Mac, whether the older keychain is searched for what the data-protection
        ///     keychain does not have. Items lie there that were added without `kSecUseDataProtectionKeychain`. The
        ///     system may ask the person for a password then.
        public init(accessGroup: String? = nil, searchesFileKeychain: Bool = false) {
            self.accessGroup = accessGroup
            self.searchesFileKeychain = searchesFileKeychain
        }

        public func item(_ name: String) async throws(AuthError) -> [UInt8]? {
            if let found = try read(query(name)) { return found }
            for query in try fileQueries(name) {
                if let found = try read(query) { return found }
            }
            return nil
        }

        public func replaceItem(_ name: String, with data: [UInt8]) async throws(AuthError) {
            let changes: [String: Any] = [kSecValueData as String: Data(data)]
            var status = KeychainStatus(rawValue: SecItemUpdate(query(name) as CFDictionary, changes as CFDictionary))
            if status == .itemNotFound, let query = try fileQueries(name).first {
                status = KeychainStatus(rawValue: SecItemUpdate(query as CFDictionary, changes as CFDictionary))
            }
            guard status != .success else { return }
            throw status.problem("another library's item cannot be replaced")
        }

        public func removeItem(_ name: String) async throws(AuthError) {
            for query in [query(name)] + (try fileQueries(name)) {
                let status = KeychainStatus(rawValue: SecItemDelete(query as CFDictionary))
                guard status == .success || status == .itemNotFound else {
                    throw status.problem("another library's item cannot be removed")
                }
            }
        }

        public func hasProtectedItem(_ name: String) async throws(AuthError) -> Bool {
            let silent = LAContext()
            silent.interactionNotAllowed = true
            let wanted: [String: Any] = [
                kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitOne,
                kSecUseAuthenticationContext as String: silent,
            ]
            let status = KeychainStatus(
                rawValue: SecItemCopyMatching(query(name).merging(wanted) { $1 } as CFDictionary, nil))
            switch status {
            case .success, .interactionNotAllowed: return true
            case .itemNotFound: return false
            default: throw status.problem("another library's item cannot be looked at")
            }
        }

        public func protectedItem(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]? {
            let recognition = AppleRecognition(prompt)
            try await recognition.ask(prompt)
            return try read(query(name), [kSecUseAuthenticationContext as String: recognition.context])
        }

        /// The keychain adds an item without a service as one whose service is empty, so that can be asked for.
        private func query(_ name: String) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: name,
                kSecAttrService as String: "", kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query
        }

        private func read(_ query: [String: Any], _ more: [String: Any] = [:]) throws(AuthError) -> [UInt8]? {
            let wanted: [String: Any] = [
                kSecReturnData as String: true, kSecReturnAttributes as String: true,
                kSecMatchLimit as String: kSecMatchLimitOne,
            ]
            var found: CFTypeRef?
            let query = query.merging(wanted) { $1 }.merging(more) { $1 }
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            switch status {
            case .success: break
            case .itemNotFound: return nil
            case .userCanceled: throw AuthError(.cancelled, "the person did not want to be recognised")
            case .authenticationFailed: throw AuthError(.biometricFailed, "the person was not recognised")
            default: throw status.problem("another library's item cannot be read")
            }
            guard let attributes = found as? [String: Any], let data = attributes[kSecValueData as String] as? Data
            else { throw KeychainStatus.decode.problem("another library's item cannot be read") }
            return Array(data)
        }
    }

    /// The Mac's older keychain, in files.
    extension LegacyKeychain {
        /// A query for each item of that account without a service, by its reference, which excludes other attributes.
        private func fileQueries(_ name: String) throws(AuthError) -> [[String: Any]] {
            guard searchesFileKeychain else { return [] }
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: name,
                kSecReturnAttributes as String: true, kSecReturnPersistentRef as String: true,
                kSecMatchLimit as String: kSecMatchLimitAll,
            ]
            var found: CFTypeRef?
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return [] }
            guard status == .success, let items = found as? [[String: Any]] else {
                throw status.problem("another library's items cannot be looked for")
            }
            return items.compactMap { item in
                guard (item[kSecAttrService as String] as? String ?? "").isEmpty,
                    let reference = item[kSecValuePersistentRef as String] as? Data
                else { return nil }
                return [
                    kSecClass as String: kSecClassGenericPassword, kSecValuePersistentRef as String: reference,
                ]
            }
        }
    }
#endif
