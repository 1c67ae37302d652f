#if canImport(Security)
    public import KeyturnBase

    /// The items of other libraries' sessions in the keychain: generic passwords, with their service or without one.
    ///
    /// A keychain that is locked is not an empty one: reading then throws. A program that is not entitled to any keychain
    /// has no items there.
    public struct LegacySessionKeychain: LegacySessionItems {
        private let keychain: ForeignKeychainItems

        /// - Parameters:
        ///   - accessGroup: Where the items are; `nil`: in any group of the app.
        ///   - searchesFileKeychain: On the Mac, whether the older keychain is searched for what the data-protection
        ///     keychain does not have. Box's SDK adds its items there. The system may ask the user for a password then.
        public init(accessGroup: String? = nil, searchesFileKeychain: Bool = false) {
            keychain = ForeignKeychainItems(accessGroup: accessGroup, searchesFileKeychain: searchesFileKeychain)
        }

        public func item(_ item: LegacySessionItem) throws(AuthError) -> [UInt8]? {
            do throws(KeychainStatus) {
                return try keychain.find(item.account, service: item.service ?? "")
            } catch {
                guard error != .missingEntitlement else { return nil }
                throw error.problem("another library's session cannot be read")
            }
        }

        public func removeItem(_ item: LegacySessionItem) throws(AuthError) {
            do throws(KeychainStatus) {
                try keychain.remove(item.account, service: item.service ?? "")
            } catch {
                throw error.problem("another library's session cannot be removed")
            }
        }
    }
#endif
