public import KeyturnBase

/// Where another library has kept its items on this device.
///
/// On Apple's systems that is the keychain, see `LegacySessionKeychain`. An app that had given a library storage of its
/// own hands that over. Called on any thread, and for the launch of an app on the thread that asks: no network.
public protocol LegacySessionItems: Sendable {
    /// What the item holds; `nil` only if there certainly is none.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now, as before the device was unlocked.
    func item(_ item: LegacySessionItem) throws(AuthError) -> [UInt8]?

    /// Removes an item. Removing nothing is no error.
    ///
    /// - Throws: `store.unavailable`.
    func removeItem(_ item: LegacySessionItem) throws(AuthError)
}

/// The name that another library gave an item.
public struct LegacySessionItem: Hashable, Sendable {
    /// `kSecAttrService`; `nil`: the item has none.
    public let service: String?
    /// `kSecAttrAccount`.
    public let account: String

    /// - Parameters:
    ///   - service: `kSecAttrService`; `nil`: the item has none.
    ///   - account: `kSecAttrAccount`.
    public init(service: String?, account: String) {
        self.service = service
        self.account = account
    }
}
