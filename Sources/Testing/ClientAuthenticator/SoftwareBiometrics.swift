public import Keyturn
public import KeyturnBase
public import KeyturnJose

/// A device that recognises users as a test says: for tests of apps, without a sensor and without a user.
///
/// Its keys and secrets outlive containers, as on a real device: pass the same one to the next.
public actor SoftwareBiometrics: BiometricDevice {
    /// Whether it passes for a device that keeps its keys.
    public nonisolated let outlivesProcess: Bool

    /// What the user does when asked.
    public enum Person: Hashable, Sendable {
        /// Gives a fingerprint, and is recognised.
        case touches
        /// Another person gives a fingerprint.
        case isSomebodyElse
        /// Declines.
        case declines
        /// Failed too often: the device wants its passcode.
        case isLockedOut
    }

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        /// The enrolment that it is valid for; `nil`: any.
        let enrolment: Int?
    }

    /// What the user does when asked.
    public private(set) var person = Person.touches
    /// The error for what the device lacks; `nil`: it lacks nothing.
    public private(set) var missing: AuthError.Code?
    /// Whether its keys and secrets can be read.
    public private(set) var isReachable = true
    /// The prompts that the user saw, in order.
    public private(set) var prompts: [BiometricPrompt] = []
    /// The algorithm of new keys.
    private let algorithm: SignatureAlgorithm
    private var keys: [String: Kept<SigningKey>] = [:]
    private var secrets: [String: Kept<[UInt8]>] = [:]
    private var enrolment = 1
    private var beforeAsking: (@Sendable () async -> Void)?

    /// - Parameters:
    ///   - algorithm: The algorithm of its keys: ES256 or RS256.
    ///   - outlivesProcess: Whether it passes for a device that keeps its keys. They are in this object.
    public init(_ algorithm: SignatureAlgorithm = .es256, outlivesProcess: Bool = false) {
        self.outlivesProcess = outlivesProcess
        self.algorithm = algorithm
    }

    /// Sets what the user does from now on.
    public func set(_ person: Person) { self.person = person }
    /// Sets what the device lacks from now on.
    public func lack(_ missing: AuthError.Code?) { self.missing = missing }
    /// Sets whether its keys and secrets can be read from now on.
    public func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }
    /// Runs `body` whenever the user is asked, before the user acts.
    public func whenAsked(_ body: (@Sendable () async -> Void)?) { beforeAsking = body }
    /// Enrols another finger: keys and secrets for the present ones alone are gone.
    public func enrolAnother() { enrolment += 1 }

    /// Deletes everything, as a reset of the device does.
    public func loseEverything() {
        keys = [:]
        secrets = [:]
    }

    /// The names of the keys.
    public var keyNames: [String] { keys.keys.sorted() }
    /// The names of the secrets.
    public var secretNames: [String] { secrets.keys.sorted() }

    public func checkSupport(_ policy: BiometricPolicy) throws(AuthError) {
        guard let missing else { return }
        // Where a passcode is accepted, it is enough.
        if policy == .biometryOrPasscode, missing != .biometricNoPasscode, missing != .biometricUnsupported { return }
        throw AuthError(missing, "the test says so")
    }

    public func recognise(_ prompt: BiometricPrompt) async throws(AuthError) {
        try checkSupport(prompt.policy)
        prompts.append(prompt)
        await beforeAsking?()
        switch person {
        case .touches: return
        case .isSomebodyElse: throw AuthError(.biometricFailed, "somebody else touched")
        case .declines: throw AuthError(.cancelled, "the person declined")
        case .isLockedOut: throw AuthError(.biometricLockout, "too many tries")
        }
    }

    public func makeKey(_ name: String, _ prompt: BiometricPrompt) throws(AuthError) -> any BiometricKey {
        try checkSupport(prompt.policy)
        try checkReachable()
        do {
            let key = try SigningKey.generate(algorithm)
            keys[name] = Kept(value: key, enrolment: end(prompt.policy))
            return Key(name: name, publicKey: key.publicKey, algorithm: algorithm, device: self)
        } catch {
            throw AuthError(.storeUnavailable, "no key could be made", cause: error)
        }
    }

    public func key(_ name: String) throws(AuthError) -> (any BiometricKey)? {
        try checkReachable()
        return signingKey(name).map {
            Key(name: name, publicKey: $0.publicKey, algorithm: algorithm, device: self)
        }
    }

    public func removeKey(_ name: String) throws(AuthError) {
        try checkReachable()
        keys[name] = nil
    }

    public func keepSecret(_ secret: [UInt8], _ name: String, _ policy: BiometricPolicy) throws(AuthError) {
        try checkSupport(policy)
        try checkReachable()
        secrets[name] = Kept(value: secret, enrolment: end(policy))
    }

    public func hasSecret(_ name: String) throws(AuthError) -> Bool {
        try checkReachable()
        return keptSecret(name) != nil
    }

    public func secret(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]? {
        try checkReachable()
        guard keptSecret(name) != nil else { return nil }
        try await recognise(prompt)
        return keptSecret(name)
    }

    public func removeSecret(_ name: String) throws(AuthError) {
        try checkReachable()
        secrets[name] = nil
    }

    private func signature(
        of message: [UInt8], _ name: String, _ prompt: BiometricPrompt
    ) async throws(AuthError) -> [UInt8] {
        guard signingKey(name) != nil else { throw AuthError(.biometricKeyNotFound, "the key is gone") }
        try await recognise(prompt)
        guard let key = signingKey(name) else { throw AuthError(.biometricKeyNotFound, "the key is gone") }
        do {
            return try key.signature(for: message)
        } catch {
            throw AuthError(.storeUnavailable, "the key does not sign", cause: error)
        }
    }

    private func signingKey(_ name: String) -> SigningKey? { keys[name].flatMap(valid) }
    private func keptSecret(_ name: String) -> [UInt8]? { secrets[name].flatMap(valid) }
    private func valid<Value>(_ kept: Kept<Value>) -> Value? {
        kept.enrolment == nil || kept.enrolment == enrolment ? kept.value : nil
    }

    private func end(_ policy: BiometricPolicy) -> Int? { policy == .currentBiometry ? enrolment : nil }

    private func checkReachable() throws(AuthError) {
        guard isReachable else { throw AuthError(.storeUnavailable, "the device cannot be asked now") }
    }

    private struct Key: BiometricKey {
        let name: String
        let publicKey: JSONWebKey
        let algorithm: SignatureAlgorithm
        let device: SoftwareBiometrics

        func signature(of message: [UInt8], _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8] {
            try await device.signature(of: message, name, prompt)
        }
    }
}
