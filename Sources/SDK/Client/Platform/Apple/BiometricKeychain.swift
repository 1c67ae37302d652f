#if canImport(LocalAuthentication) && canImport(Security) && !os(tvOS) && !os(watchOS)
    internal import Foundation
    internal import KeyturnBase
    internal import LocalAuthentication
    internal import Security

    /// Keys of the Secure Enclave and items of the keychain that open for the recognised user.
    ///
    /// All of them are this device's only, and go when its passcode does.
    struct BiometricKeychain: Sendable {
        let service: String
        let group: AccessGroup

        /// Makes a key in the Enclave beside whatever is there.
        ///
        /// - Returns: Its point: x, then y.
        func makeKey(_ name: String, _ policy: BiometricPolicy) throws(AuthError) -> [UInt8] {
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeySizeInBits as String: 256,
                kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
                kSecAttrAccessGroup as String: try groupName(),
                kSecUseDataProtectionKeychain as String: true,
                kSecPrivateKeyAttrs as String: [
                    kSecAttrIsPermanent as String: true,
                    kSecAttrApplicationTag as String: tag(name),
                    kSecAttrAccessControl as String: try access(policy, [.privateKeyUsage]),
                ] as [String: Any],
            ]
            var failure: Unmanaged<CFError>?
            guard let key = unsafe SecKeyCreateRandomKey(attributes as CFDictionary, &failure) else {
                let failure = unsafe SecurityFailure(failure)
                guard !failure.isEnclaveMissing else {
                    throw AuthError(.biometricUnsupported, "the key cannot be made: this machine has no Secure Enclave")
                }
                throw Self.refusal(failure, "the key cannot be made")
            }
            return try Self.point(of: key)
        }

        /// The point of a key; `nil` if there is none. The user is not asked.
        func point(_ name: String) throws(AuthError) -> [UInt8]? {
            guard let key = try key(name, nil) else { return nil }
            return try Self.point(of: key)
        }

        /// Signs once the person has been recognised.
        ///
        /// - Returns: DER; `nil` if the key is gone.
        func signature(
            of message: [UInt8], _ name: String, _ recognition: AppleRecognition
        ) throws(AuthError) -> [UInt8]? {
            guard let key = try key(name, recognition) else { return nil }
            var failure: Unmanaged<CFError>?
            let signature = unsafe SecKeyCreateSignature(
                key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, &failure)
            guard let signature else {
                let failure = unsafe SecurityFailure(failure)
                if failure.isKeyMissing { return nil }
                throw Self.refusal(failure, "the key cannot sign")
            }
            return Array(signature as Data)
        }

        func removeKey(_ name: String) throws(AuthError) {
            try remove(try keyQuery(name))
        }

        /// Puts a secret in the place of whatever was there.
        func put(_ secret: [UInt8], _ name: String, _ policy: BiometricPolicy) throws(AuthError) {
            try remove(try query(name))
            var attributes = try query(name)
            attributes[kSecAttrAccessControl as String] = try access(policy, [])
            attributes[kSecAttrGeneric as String] = Data()
            attributes[kSecValueData as String] = Data(secret)
            let status = KeychainStatus(rawValue: SecItemAdd(attributes as CFDictionary, nil))
            guard status == .success else { throw status.problem("the secret cannot be kept") }
        }

        /// Whether there is a secret. The user is not asked.
        func holds(_ name: String) throws(AuthError) -> Bool {
            var query = try query(name)
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            let silent = LAContext()
            silent.interactionNotAllowed = true
            query[kSecUseAuthenticationContext as String] = silent
            let status = KeychainStatus(rawValue: SecItemCopyMatching(query as CFDictionary, nil))
            switch status {
            case .success, .interactionNotAllowed: return true
            case .itemNotFound: return false
            default: throw status.problem("the secret cannot be looked for")
            }
        }

        /// The secret once the person has been recognised; `nil` if it is gone.
        func secret(_ name: String, _ recognition: AppleRecognition) throws(AuthError) -> [UInt8]? {
            var query = try query(name)
            query[kSecReturnAttributes as String] = true
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            query[kSecUseAuthenticationContext as String] = recognition.context
            var found: CFTypeRef?
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return nil }
            guard status == .success else { throw Self.refusal(status, "the secret cannot be read") }
            guard let secret = (found as? [String: Any])?[kSecValueData as String] as? Data else {
                throw KeychainStatus.decode.problem("the secret cannot be read")
            }
            return Array(secret)
        }

        func removeSecret(_ name: String) throws(AuthError) {
            try remove(try query(name))
        }
    }

    extension BiometricKeychain {
        private func key(_ name: String, _ recognition: AppleRecognition?) throws(AuthError) -> SecKey? {
            var query = try keyQuery(name)
            query[kSecReturnRef as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            if let recognition { query[kSecUseAuthenticationContext as String] = recognition.context }
            var found: CFTypeRef?
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return nil }
            guard status == .success else { throw Self.refusal(status, "the key cannot be read") }
            guard let found, CFGetTypeID(found) == SecKeyGetTypeID() else {
                throw AuthError(.storeUnavailable, "the keychain holds something else under the key's name")
            }
            // The type was compared above; a conditional cast to a Core Foundation type compares nothing.
            return unsafe unsafeDowncast(found, to: SecKey.self)
        }

        private func access(
            _ policy: BiometricPolicy, _ more: SecAccessControlCreateFlags
        ) throws(AuthError) -> SecAccessControl {
            let flag: SecAccessControlCreateFlags =
                switch policy {
                case .anyBiometry: .biometryAny
                case .currentBiometry: .biometryCurrentSet
                case .biometryOrPasscode: .userPresence
                }
            var failure: Unmanaged<CFError>?
            let access = unsafe SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, more.union(flag), &failure)
            guard let access else { throw unsafe SecurityFailure(failure).problem("the access cannot be described") }
            return access
        }

        private func query(_ name: String) throws(AuthError) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service + ".touch",
                kSecAttrAccount as String: name,
                kSecAttrAccessGroup as String: try groupName(),
                kSecUseDataProtectionKeychain as String: true,
            ]
        }

        private func keyQuery(_ name: String) throws(AuthError) -> [String: Any] {
            [
                kSecClass as String: kSecClassKey,
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
                kSecAttrApplicationTag as String: tag(name),
                kSecAttrAccessGroup as String: try groupName(),
                kSecUseDataProtectionKeychain as String: true,
            ]
        }

        private func groupName() throws(AuthError) -> String {
            try group.name(orFail: "the keychain cannot be searched")
        }

        private func tag(_ name: String) -> Data { Data((service + ".touch." + name).utf8) }

        private func remove(_ query: [String: Any]) throws(AuthError) {
            let status = KeychainStatus(rawValue: SecItemDelete(query as CFDictionary))
            guard status == .success || status == .itemNotFound else { throw status.problem("it cannot be removed") }
        }

        private static func point(of key: SecKey) throws(AuthError) -> [UInt8] {
            guard let half = SecKeyCopyPublicKey(key), let point = SecKeyCopyExternalRepresentation(half, nil),
                case let bytes = Array(point as Data), bytes.count == 65, bytes[0] == 0x04
            else { throw AuthError(.storeUnavailable, "the key has no public half on P-256") }
            return Array(bytes.dropFirst())
        }

        /// What the keychain says where it asks by itself.
        private static func refusal(_ status: KeychainStatus, _ subject: String) -> AuthError {
            switch status {
            case .userCanceled: AuthError(.cancelled, "the person was asked, and declined")
            case .authenticationFailed: AuthError(.biometricFailed, "\(subject): the person was not recognised")
            default: status.problem(subject)
            }
        }

        /// The same where the reason is an error.
        private static func refusal(_ failure: SecurityFailure, _ subject: String) -> AuthError {
            if failure.isCancelled { return refusal(KeychainStatus.userCanceled, subject) }
            if failure.isUserNotRecognised { return refusal(KeychainStatus.authenticationFailed, subject) }
            return failure.problem(subject)
        }
    }
#endif
