#if os(Linux)
    internal import Foundation
    public import KeyturnBase
    internal import KeyturnJose

    /// A fingerprint reader beside keys: fprintd says whether the person is there, and the machine's TPM, or else the
    /// store of a container, has the keys.
    ///
    /// **What that protects.** The reader does not open the keys: this process asks it, and then uses them. A program
    /// of the same user that asks no one gets at them as well. A key of the TPM cannot be taken to another machine,
    /// neither with the disk nor with a backup; one in software can, by a program that reads the store. Fingerprints
    /// are known by the names of their fingers alone: another finger that is enrolled ends what was made for
    /// ``BiometricPolicy/currentBiometry``, the same finger read in anew does not. There is no passcode to ask for, so
    /// ``BiometricPolicy/biometryOrPasscode`` is a finger too.
    public struct LinuxBiometrics: BiometricDevice {
        /// Where keys and secrets are kept.
        public typealias Keys = LinuxKeyPlace

        private let reader: FingerprintReader
        private let safe: BiometricKeyStore

        /// A device that keeps its records in `storage`. Touches neither disk nor bus.
        ///
        /// - Parameters:
        ///   - storage: Where records are kept; not ``SessionStorage/memory`` if keys are to outlive the process.
        ///   - keys: Where keys and secrets are kept.
        ///   - ambient: Clock and randomness.
        ///   - showing: Hears what the person is to do and why, on any thread; must not wait. fprintd shows nothing by
        ///     itself.
        public init(
            storage: SessionStorage = .automatic, keys: Keys = .automatic, ambient: Ambient = .live,
            showing: @escaping @Sendable (FingerprintMoment, BiometricPrompt) -> Void = { _, _ in }
        ) {
            self.init(
                store: storage.makeStore(ambient: ambient), keys: keys, addresses: BusAddress.systemEnvironment(),
                ambient: ambient, showing: showing)
        }

        /// - Parameter addresses: Where the system bus may be.
        init(
            store: any SessionStore, keys: Keys, addresses: [BusAddress], ambient: Ambient,
            showing: @escaping @Sendable (FingerprintMoment, BiometricPrompt) -> Void = { _, _ in }
        ) {
            reader = FingerprintReader(addresses: addresses, showing: showing)
            safe = BiometricKeyStore(store: store, keys: keys, ambient: ambient)
        }

        /// Not where the records are in memory.
        public var outlivesProcess: Bool { !(safe.store is MemoryStore) }

        public func checkSupport(_ policy: BiometricPolicy) async throws(AuthError) {
            _ = try await enrolled()
        }

        public func recognise(_ prompt: BiometricPrompt) async throws(AuthError) {
            _ = try await reader.recognise(prompt)
        }

        public func makeKey(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> any BiometricKey {
            let fingers = try await enrolled()
            let record = try await safe.makeKey(name, fingers: prompt.policy == .currentBiometry ? fingers : nil)
            return try Key(device: self, name: name, record: record)
        }

        public func key(_ name: String) async throws(AuthError) -> (any BiometricKey)? {
            guard let record = try await valid(name) else { return nil }
            return try Key(device: self, name: name, record: record)
        }

        public func removeKey(_ name: String) async throws(AuthError) {
            try await safe.remove(name)
        }

        public func keepSecret(
            _ secret: [UInt8], _ name: String, _ policy: BiometricPolicy
        ) async throws(AuthError) {
            let fingers = try await enrolled()
            try await safe.keep(secret, name, fingers: policy == .currentBiometry ? fingers : nil)
        }

        public func hasSecret(_ name: String) async throws(AuthError) -> Bool {
            try await valid(name) != nil
        }

        public func secret(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]? {
            guard let record = try await recognised(name, prompt) else { return nil }
            guard let secret = try await safe.secret(of: record, name) else {
                try await safe.remove(name)
                return nil
            }
            return secret
        }

        public func removeSecret(_ name: String) async throws(AuthError) {
            try await safe.remove(name)
        }
    }

    extension LinuxBiometrics {
        /// - Throws: `biometric.no_enrollment` if there is none.
        private func enrolled() async throws(AuthError) -> [String] {
            let fingers = try await reader.enrolledFingers()
            guard !fingers.isEmpty else {
                throw AuthError(.biometricNoEnrollment, "no finger is enrolled: see fprintd-enroll")
            }
            return fingers
        }

        /// What is kept under `name`; removed if it was made for other fingers than there are. A reader that cannot be
        /// asked now decides nothing.
        private func valid(_ name: String) async throws(AuthError) -> BiometricKeyRecord? {
            guard let record = try await safe.record(name) else { return nil }
            guard record.fingers != nil, let now = try? await reader.enrolledFingers(), !record.isValid(for: now) else {
                return record
            }
            try await safe.remove(name)
            return nil
        }

        /// The same once the person has been recognised.
        private func recognised(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError)
            -> BiometricKeyRecord?
        {
            guard let record = try await valid(name) else { return nil }
            let fingers = try await reader.recognise(prompt)
            guard record.isValid(for: fingers) else {
                try await safe.remove(name)
                return nil
            }
            return record
        }

        private struct Key: BiometricKey {
            let device: LinuxBiometrics
            let name: String
            let publicKey: JSONWebKey
            let algorithm = SignatureAlgorithm.es256

            init(device: LinuxBiometrics, name: String, record: BiometricKeyRecord) throws(AuthError) {
                self.device = device
                self.name = name
                publicKey = try JSONWebKey(point: record.publicKey)
            }

            func signature(of message: [UInt8], _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8] {
                guard let record = try await device.recognised(name, prompt) else { throw Self.gone }
                guard let signature = try await device.safe.signature(of: message, with: record, name) else {
                    try await device.safe.remove(name)
                    throw Self.gone
                }
                return signature
            }

            private static let gone = AuthError(
                .biometricKeyNotFound, "the key is gone: other fingers are enrolled, or the TPM was cleared")
        }
    }

    extension JSONWebKey {
        /// - Parameter point: x, then y, on P-256.
        fileprivate init(point: [UInt8]) throws(AuthError) {
            do {
                try self.init([
                    "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point.prefix(32))),
                    "y": .string(Base64URL.encode(point.dropFirst(32))),
                ])
            } catch {
                throw AuthError(.storeUnavailable, "the key's public half is damaged", cause: error)
            }
        }
    }
#endif
