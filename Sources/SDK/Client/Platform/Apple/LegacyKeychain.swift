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
        private let keychain: ForeignKeychainItems

        /// - Parameters:
        ///   - accessGroup: Where that library's items are; `nil`: in any group of the app, as that library looks for
        ///     them.
        ///   - searchesFileKeychain: On the Mac, whether the older keychain is searched for what the data-protection
        ///     keychain does not have. Items lie there that were added without `kSecUseDataProtectionKeychain`. The
        ///     system may ask the person for a password then.
        public init(accessGroup: String? = nil, searchesFileKeychain: Bool = false) {
            keychain = ForeignKeychainItems(accessGroup: accessGroup, searchesFileKeychain: searchesFileKeychain)
        }

        public func item(_ name: String) async throws(AuthError) -> [UInt8]? {
            try Self.translated("read") { () throws(KeychainStatus) in try keychain.find(name) }
        }

        public func replaceItem(_ name: String, with data: [UInt8]) async throws(AuthError) {
            try Self.translated("replaced") { () throws(KeychainStatus) in
                let changes: [String: Any] = [kSecValueData as String: Data(data)]
                let query = keychain.query(name)
                var status = KeychainStatus(rawValue: SecItemUpdate(query as CFDictionary, changes as CFDictionary))
                if status == .itemNotFound, let query = try keychain.fileQueries(name).first {
                    status = KeychainStatus(rawValue: SecItemUpdate(query as CFDictionary, changes as CFDictionary))
                }
                try status.check()
            }
        }

        public func removeItem(_ name: String) async throws(AuthError) {
            try Self.translated("removed") { () throws(KeychainStatus) in try keychain.remove(name) }
        }

        public func hasProtectedItem(_ name: String) async throws(AuthError) -> Bool {
            let silent = LAContext()
            silent.interactionNotAllowed = true
            let wanted: [String: Any] = [
                kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitOne,
                kSecUseAuthenticationContext as String: silent,
            ]
            let query = keychain.query(name).merging(wanted) { $1 }
            let status = KeychainStatus(rawValue: SecItemCopyMatching(query as CFDictionary, nil))
            switch status {
            case .success, .interactionNotAllowed: return true
            case .itemNotFound: return false
            default: throw status.problem("another library's item cannot be looked at")
            }
        }

        public func protectedItem(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]? {
            let recognition = AppleRecognition(prompt)
            try await recognition.ask(prompt)
            return try Self.translated("read") { () throws(KeychainStatus) in
                try keychain.read(keychain.query(name), [kSecUseAuthenticationContext as String: recognition.context])
            }
        }

        /// - Parameter verb: What could not be done with the item, as a participle.
        private static func translated<Value>(
            _ verb: String, _ step: () throws(KeychainStatus) -> Value
        ) throws(AuthError) -> Value {
            do throws(KeychainStatus) {
                return try step()
            } catch {
                switch error {
                case .userCanceled: throw AuthError(.cancelled, "the person did not want to be recognised")
                case .authenticationFailed: throw AuthError(.biometricFailed, "the person was not recognised")
                default: throw error.problem("another library's item cannot be \(verb)")
                }
            }
        }
    }
#endif
