#if canImport(Security)
    internal import Foundation
    internal import KeyturnBase
    internal import Security

    /// Keys of the Secure Enclave as items of the data-protection keychain.
    struct SystemEnclave: Sendable {
        let tagPrefix: String
        let group: AccessGroup
        let accessibility: KeychainStore.Accessibility

        func find(_ name: String) throws(AuthError) -> EnclaveKey? {
            var query = try query(name)
            query[kSecReturnRef as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = KeychainStatus(rawValue: unsafe SecItemCopyMatching(query as CFDictionary, &found))
            if status == .itemNotFound { return nil }
            guard status == .success else { throw status.problem("the device key cannot be read") }
            guard let found, CFGetTypeID(found) == SecKeyGetTypeID() else {
                throw AuthError(.storeUnavailable, "the keychain holds something else under the device key's name")
            }
            // The type was compared above; a conditional cast to a Core Foundation type compares nothing.
            return try EnclaveKey(unsafe unsafeDowncast(found, to: SecKey.self))
        }

        /// Makes a key beside whatever is there: that nothing is, the caller has made sure of.
        func make(_ name: String) throws(AuthError) -> EnclaveKey {
            var failure: Unmanaged<CFError>?
            guard
                let access = unsafe SecAccessControlCreateWithFlags(
                    nil, accessibility.constant, .privateKeyUsage, &failure)
            else { throw unsafe SecurityFailure(failure).problem("the device key's access cannot be described") }
            let attributes: [String: Any] = [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeySizeInBits as String: 256,
                kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
                kSecAttrAccessGroup as String: try groupName(),
                kSecUseDataProtectionKeychain as String: true,
                kSecPrivateKeyAttrs as String: [
                    kSecAttrIsPermanent as String: true,
                    kSecAttrApplicationTag as String: tag(name),
                    kSecAttrAccessControl as String: access,
                ] as [String: Any],
            ]
            guard let key = unsafe SecKeyCreateRandomKey(attributes as CFDictionary, &failure) else {
                let failure = unsafe SecurityFailure(failure)
                guard !failure.isEnclaveMissing else {
                    throw AuthError(.unsupported, "the device key cannot be made: this machine has no Secure Enclave")
                }
                throw failure.problem("the device key cannot be made")
            }
            return try EnclaveKey(key)
        }

        /// - Returns: whether there was something to remove.
        func remove(_ name: String) throws(AuthError) -> Bool {
            let status = KeychainStatus(rawValue: SecItemDelete(try query(name) as CFDictionary))
            guard status == .success || status == .itemNotFound else {
                throw status.problem("the device key cannot be removed")
            }
            return status == .success
        }

        private func query(_ name: String) throws(AuthError) -> [String: Any] {
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
            try group.name(orFail: "the device key cannot be looked for")
        }

        private func tag(_ name: String) -> Data { Data((tagPrefix + name).utf8) }
    }

    /// A key in the Enclave, and its public half outside.
    actor EnclaveKey: DeviceKey {
        nonisolated let publicKey: [UInt8]
        private let key: SecKey

        /// - Throws: `store.unavailable` if it is no key on P-256.
        init(_ key: sending SecKey) throws(AuthError) {
            guard let half = SecKeyCopyPublicKey(key), let point = SecKeyCopyExternalRepresentation(half, nil),
                case let bytes = Array(point as Data), bytes.count == 65, bytes[0] == 0x04
            else { throw AuthError(.storeUnavailable, "the device key has no public half on P-256") }
            publicKey = Array(bytes.dropFirst())
            self.key = key
        }

        func signature(of message: [UInt8]) throws(AuthError) -> [UInt8] {
            var failure: Unmanaged<CFError>?
            guard
                let signature = unsafe SecKeyCreateSignature(
                    key, .ecdsaSignatureMessageX962SHA256, Data(message) as CFData, &failure)
            else { throw unsafe SecurityFailure(failure).problem("the device key cannot sign") }
            guard let raw = ES256Signature.raw(der: Array(signature as Data)) else {
                throw AuthError(.storeUnavailable, "the device key made something that is no signature")
            }
            return raw
        }
    }
#endif
