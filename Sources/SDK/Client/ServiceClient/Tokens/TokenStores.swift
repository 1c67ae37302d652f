public import KeyturnBase

extension TokenStore where Self == SessionTokenStore {
    /// The safest lasting place that this platform offers, as ``SessionStorage/automatic`` chooses it.
    public static func automatic(ambient: Ambient = .live) -> SessionTokenStore {
        SessionTokenStore(SessionStorage.automatic.makeStore(ambient: ambient), ambient: ambient)
    }

    /// Sealed files, see ``SealedFileStore``.
    public static func file(_ locations: SealedFileStore.Locations, ambient: Ambient = .live) -> SessionTokenStore {
        SessionTokenStore(SealedFileStore(locations, ambient: ambient), ambient: ambient)
    }

    #if os(Linux)
        /// The desktop's keyring, see ``SecretServiceStore``.
        public static func secretService(
            _ locations: SealedFileStore.Locations, ambient: Ambient = .live
        ) -> SessionTokenStore {
            SessionTokenStore(SecretServiceStore(locations, ambient: ambient), ambient: ambient)
        }
    #endif
}
