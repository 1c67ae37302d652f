public import Keyturn
public import KeyturnBase
public import KeyturnJose

/// A device that recognises whom a test says: for tests of apps, without a sensor and without a person.
///
/// What it keeps outlives containers, as on a real device: pass the same one to the next.
public actor SoftwareBiometrics: BiometricDevice {
    /// What the person does when they are asked.
    public enum Person: Hashable, Sendable {
        /// Touches, and is recognised.
        case touches
        /// It is somebody else.
        case isSomebodyElse
        /// Declines.
        case declines
        /// Has tried too often: the device wants its passcode.
        case isLockedOut
    }

    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        /// The enrolment that it ends with; `nil`: with none.
        let enrolment: Int?
    }

    /// What the person does when they are asked.
    public private(set) var person = Person.touches
    /// What the device lacks; `nil`: nothing.
    public private(set) var missing: AuthError.Code?
    /// Whether its keys and secrets can be looked at.
    public private(set) var isReachable = true
    /// How the person was asked, in order.
    public private(set) var prompts: [BiometricPrompt] = []
    /// What new keys sign with.
    private let algorithm: SignatureAlgorithm
    private var keys: [String: Kept<SigningKey>] = [:]
    private var secrets: [String: Kept<[UInt8]>] = [:]
    private var enrolment = 1
    private var beforeAsking: (@Sendable () async -> Void)?

    /// - Parameter algorithm: What keys sign with: ES256 or RS256.
    public init(_ algorithm: SignatureAlgorithm = .es256) {
        self.algorithm = algorithm
    }

    /// From now on the person does this.
    public func set(_ person: Person) { self.person = person }
    /// From now on the device lacks this.
    public func lack(_ missing: AuthError.Code?) { self.missing = missing }
    /// From now on what it keeps can be looked at, or not.
    public func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }
    /// Runs `body` whenever the person is asked, before they do anything.
    public func whenAsked(_ body: (@Sendable () async -> Void)?) { beforeAsking = body }
    /// Another finger is enrolled: what was made for the present ones alone is gone.
    public func enrolAnother() { enrolment += 1 }

    /// Everything is gone, as after a reset of the device.
    public func loseEverything() {
        keys = [:]
        secrets = [:]
    }

    /// The names of the keys that there are.
    public var keyNames: [String] { keys.keys.sorted() }
    /// The names of the secrets that there are.
    public var secretNames: [String] { secrets.keys.sorted() }

    public func checkSupport(_ policy: BiometricPolicy) throws(AuthError) {
        guard let missing else { return }
        // A passcode is enough for those who take one.
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
