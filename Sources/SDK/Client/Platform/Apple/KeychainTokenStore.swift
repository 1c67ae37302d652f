#if canImport(Security)
    public import KeyturnBase

    extension TokenStore where Self == SessionTokenStore {
        /// The keychain: one item for each name, see ``KeychainStore``. The service name is another than that of sessions,
        /// unless the options name one.
        public static func keychain(
            _ options: KeychainStore.Options = .tokens, ambient: Ambient = .live
        ) -> SessionTokenStore {
            SessionTokenStore(KeychainStore(options), ambient: ambient)
        }
    }

    extension KeychainStore.Options {
        /// Options for the tokens of services.
        public static var tokens: KeychainStore.Options {
            var options = KeychainStore.Options()
            options.service = "keyturn.services"
            return options
        }
    }
#endif
