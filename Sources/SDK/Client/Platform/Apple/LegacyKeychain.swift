#if canImport(LocalAuthentication) && canImport(Security) && !os(tvOS) && !os(watchOS)
    internal import Foundation
    public import KeyturnBase
    internal import LocalAuthentication
    internal import Security

    /// The items of Trifork's own library in the keychain: generic passwords that have an account and no service.
    ///
    /// A keychain that is closed is no empty one; what it hides is not found, and nothing is removed because of that.
    public struct LegacyKeychain: LegacyVaultItems {
        private let accessGroup: String?

        /// - Parameter accessGroup: Where that library's items are; `nil`: the app's own group, as it has it.
        public init(accessGroup: String? = nil) {
            self.accessGroup = accessGroup
        }

        public func item(_ name: String) async throws(AuthError) -> [UInt8]? {
            try read(name)
        }

        public func replaceItem(_ name: String, with data: [UInt8]) async throws(AuthError) {
            let changes: [String: Any] = [kSecValueData as String: Data(data)]
            let status = KeychainStatus(rawValue: SecItemUpdate(query(name) as CFDictionary, changes as CFDictionary))
            guard status != .success else { return }
            throw status.problem("another library's item cannot be replaced")
        }

        public func removeItem(_ name: String) async throws(AuthError) {
            let status = KeychainStatus(rawValue: SecItemDelete(query(name) as CFDictionary))
            guard status != .success, status != .itemNotFound else { return }
            throw status.problem("another library's item cannot be removed")
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
            return try read(name, [kSecUseAuthenticationContext as String: recognition.context])
        }

        private func query(_ name: String) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: name,
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query
        }

        private func read(_ name: String, _ more: [String: Any] = [:]) throws(AuthError) -> [UInt8]? {
            let wanted: [String: Any] = [
                kSecReturnData as String: true, kSecReturnAttributes as String: true,
                kSecMatchLimit as String: kSecMatchLimitOne,
            ]
            var found: CFTypeRef?
            let query = query(name).merging(wanted) { $1 }.merging(more) { $1 }
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
            // An item of another program that happens to have the same account.
            guard (attributes[kSecAttrService as String] as? String ?? "").isEmpty else { return nil }
            return Array(data)
        }
    }
#endif
