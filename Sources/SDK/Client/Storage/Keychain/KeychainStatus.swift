#if canImport(Security)
    internal import KeyturnBase

    /// What a call of the Security framework came to: its `OSStatus`.
    struct KeychainStatus: RawRepresentable, Hashable, Error {
        let rawValue: Int32

        static let success = Self(rawValue: 0)
        static let unimplemented = Self(rawValue: -4)
        static let readOnly = Self(rawValue: -25_292)
        static let notAvailable = Self(rawValue: -25_291)
        static let authenticationFailed = Self(rawValue: -25_293)
        static let duplicateItem = Self(rawValue: -25_299)
        static let itemNotFound = Self(rawValue: -25_300)
        static let interactionNotAllowed = Self(rawValue: -25_308)
        static let interactionRequired = Self(rawValue: -25_315)
        static let missingEntitlement = Self(rawValue: -34_018)
        static let decode = Self(rawValue: -26_275)
        static let diskFull = Self(rawValue: -34)
        static let userCanceled = Self(rawValue: -128)

        /// - Throws: the status itself, unless it is a success.
        func check() throws(KeychainStatus) {
            guard self == .success else { throw self }
        }

        /// This library's error.
        ///
        /// - Parameter subject: What could not be done, as the beginning of a sentence.
        func problem(_ subject: String) -> AuthError {
            AuthError(.storeUnavailable, "\(subject): \(meaning) (OSStatus \(rawValue))")
        }

        /// What an app's developer can do about it, where that is known.
        private var meaning: String {
            switch self {
            case .interactionNotAllowed, .interactionRequired:
                "the keychain is locked; it opens when the person unlocks the device"
            case .notAvailable: "there is no keychain now"
            case .authenticationFailed: "the keychain refused; with whenPasscodeSet, the device needs a passcode"
            case .missingEntitlement:
                "the program is not entitled to this keychain; sign it with a team identity and the access group "
                    + "(keychain-access-groups or application-groups), or choose another storage"
            case .duplicateItem: "an item is there that cannot be seen"
            case .itemNotFound: "the item is not there"
            case .unimplemented: "this machine cannot do it"
            case .readOnly: "the keychain is read-only"
            case .decode: "the item is damaged"
            case .diskFull: "the disk is full"
            default: "the keychain failed"
            }
        }
    }
#endif
