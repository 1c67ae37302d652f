internal import KeyturnBase

/// Where this platform keeps the key that sessions are bound to when the app brings nothing.
enum PlatformDeviceKeys {
    /// - Parameter store: Where a device without a place of its own keeps what it must remember.
    static func make(store: any SessionStore, ambient: Ambient) -> any DeviceKeys {
        #if os(Linux)
            TPMKeys(store: store, keys: .automatic, ambient: ambient)
        #else
            StoredDeviceKeys(store)
        #endif
    }
}
