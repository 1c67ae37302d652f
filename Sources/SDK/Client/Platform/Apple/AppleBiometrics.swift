#if canImport(LocalAuthentication) && canImport(Security) && !os(tvOS) && !os(watchOS)
    public import KeyturnBase
    internal import KeyturnJose

    /// Touch ID, Face ID and Optic ID, with keys in the Secure Enclave and secrets in the keychain.
    ///
    /// **What that protects.** The system opens keys and secrets only for a user whom it recognises; no program gets at
    /// them otherwise, and a key never leaves the Enclave. They are this device's only, are in no backup, and go when
    /// the device's passcode is removed, or, with ``BiometricPolicy/currentBiometry``, when another finger or face is
    /// enrolled. For Face ID the app's Info.plist needs `NSFaceIDUsageDescription`: without it nothing is asked, and calls
    /// throw `configuration.invalid`.
    public struct AppleBiometrics: BiometricDevice {
        private let keychain: BiometricKeychain
        private let canary: KeychainCanary

        /// A device for one app, or for several that share an access group. Touches nothing yet.
        ///
        /// - Parameters:
        ///   - service: What the names of items begin with, the same for all who share them.
        ///   - accessGroup: As ``KeychainStore/Options/accessGroup``.
        public init(service: String = "keyturn", accessGroup: String? = nil) {
            precondition(!service.isEmpty, "the service needs a name")
            // Not bound to the passcode: what went with that is gone, and the keychain can be read all the same.
            let accessibility = KeychainStore.Accessibility.whenUnlocked()
            let group = AccessGroup(accessGroup, service: service, accessibility: accessibility)
            keychain = BiometricKeychain(service: service, group: group)
            canary = KeychainCanary(
                keychain: SystemKeychain(group: group, accessibility: accessibility), item: group.canary)
        }

        public func checkSupport(_ policy: BiometricPolicy) async throws(AuthError) {
            try AppleRecognition.checkSupport(policy)
        }

        public func recognise(_ prompt: BiometricPrompt) async throws(AuthError) {
            try await AppleRecognition(prompt).ask(prompt)
        }

        public func makeKey(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> any BiometricKey {
            try AppleRecognition.checkSupport(prompt.policy)
            // Tags are not unique by themselves: a second key would hide behind the first.
            try keychain.removeKey(name)
            return try Key(name: name, point: try keychain.makeKey(name, prompt.policy), device: self)
        }

        public func key(_ name: String) async throws(AuthError) -> (any BiometricKey)? {
            let point = try canary.find { () throws(AuthError) in try keychain.point(name) }
            guard let point else { return nil }
            return try Key(name: name, point: point, device: self)
        }

        public func removeKey(_ name: String) async throws(AuthError) {
            try keychain.removeKey(name)
            // Removed, or merely not seen?
            try canary.prove()
            try keychain.removeKey(name)
        }

        public func keepSecret(
            _ secret: [UInt8], _ name: String, _ policy: BiometricPolicy
        ) async throws(AuthError) {
            try AppleRecognition.checkSupport(policy)
            try keychain.put(secret, name, policy)
        }

        public func hasSecret(_ name: String) async throws(AuthError) -> Bool {
            try canary.find { () throws(AuthError) -> Bool? in try keychain.holds(name) ? true : nil } ?? false
        }

        public func secret(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]? {
            guard try await hasSecret(name) else { return nil }
            let recognition = AppleRecognition(prompt)
            try await recognition.ask(prompt)
            return try canary.find { () throws(AuthError) in try keychain.secret(name, recognition) }
        }

        public func removeSecret(_ name: String) async throws(AuthError) {
            try keychain.removeSecret(name)
            try canary.prove()
            try keychain.removeSecret(name)
        }

        private struct Key: BiometricKey {
            let name: String
            let publicKey: JSONWebKey
            let algorithm = SignatureAlgorithm.es256
            let device: AppleBiometrics

            init(name: String, point: [UInt8], device: AppleBiometrics) throws(AuthError) {
                self.name = name
                self.device = device
                do {
                    publicKey = try JSONWebKey([
                        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point.prefix(32))),
                        "y": .string(Base64URL.encode(point.dropFirst(32))),
                    ])
                } catch {
                    throw AuthError(.storeUnavailable, "the key's public half is damaged", cause: error)
                }
            }

            func signature(of message: [UInt8], _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8] {
                let recognition = AppleRecognition(prompt)
                try await recognition.ask(prompt)
                let (device, name) = (device, name)
                let signature = try device.canary.find { () throws(AuthError) in
                    try device.keychain.signature(of: message, name, recognition)
                }
                guard let signature else { throw AuthError(.biometricKeyNotFound, "the key is gone from the keychain") }
                guard let raw = ES256Signature.raw(der: signature) else {
                    throw AuthError(.storeUnavailable, "the key made something that is no signature")
                }
                return raw
            }
        }
    }
#endif
