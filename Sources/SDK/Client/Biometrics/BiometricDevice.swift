public import KeyturnBase
public import KeyturnJose

/// What a device offers after a touch: keys that sign, and secrets that are handed out, only once the person
/// has been recognised.
///
/// Everything is found by a name. How much a device protects what it keeps differs, and its documentation says so: a
/// secure element does not let go of a key at all; a fingerprint reader beside a key in software keeps honest programs
/// honest.
public protocol BiometricDevice: Sendable {
    /// Whether keys and secrets are still there when the process has ended. The default is `true`: then a container
    /// that remembers nothing makes none, because no later one could find and remove them.
    var outlivesProcess: Bool { get }

    /// Whether the person can be recognised on this device, without asking them.
    ///
    /// - Throws: `biometric.unsupported`, `biometric.no_enrollment`, `biometric.no_passcode` or `biometric.lockout`:
    ///   what is missing.
    func checkSupport(_ policy: BiometricPolicy) async throws(AuthError)

    /// Asks the person to show that they are there.
    ///
    /// - Throws: `sign_in.cancelled`; `biometric.failed` if it was another person; `biometric.lockout`;
    ///   `transport.unavailable` if the user cannot be asked now, because another program uses the sensor for instance;
    ///   as ``checkSupport(_:)``.
    func recognise(_ prompt: BiometricPrompt) async throws(AuthError)

    /// Makes a key pair called `name`, durably, in the place of one that had the name before.
    ///
    /// - Throws: `store.unavailable`; as ``checkSupport(_:)``.
    func makeKey(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> any BiometricKey

    /// The key called `name`; `nil` only if there certainly is none: it was never made, or changed fingerprints ended
    /// it.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now.
    func key(_ name: String) async throws(AuthError) -> (any BiometricKey)?

    /// Removes a key. Removing nothing is no error.
    ///
    /// - Throws: `store.unavailable`; the key may then still be there.
    func removeKey(_ name: String) async throws(AuthError)

    /// Keeps `secret` under `name`, in the place of whatever was there. The person is not asked.
    ///
    /// - Throws: `store.unavailable`; as ``checkSupport(_:)``.
    func keepSecret(_ secret: [UInt8], _ name: String, _ policy: BiometricPolicy) async throws(AuthError)

    /// Whether there is a secret under `name`. The person is not asked.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now.
    func hasSecret(_ name: String) async throws(AuthError) -> Bool

    /// The secret under `name`, once the person has been recognised; `nil` only if there certainly is none.
    ///
    /// - Throws: as ``recognise(_:)``; `store.unavailable`.
    func secret(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]?

    /// Removes a secret. Removing nothing is no error.
    ///
    /// - Throws: `store.unavailable`; it may then still be there.
    func removeSecret(_ name: String) async throws(AuthError)
}

extension BiometricDevice {
    /// They are.
    public var outlivesProcess: Bool { true }

    /// Before anything is left on the device.
    ///
    /// - Parameter isForgotten: Whether the record of it ends with the process.
    /// - Throws: `configuration.invalid` if it would be known to no later process.
    func checkRemembered(isForgotten: Bool) throws(AuthError) {
        guard isForgotten, outlivesProcess else { return }
        throw AuthError(
            .misconfigured, "a key would outlive the storage that knows of it: give a lasting vaultStorage")
    }
}

/// A key pair that signs for the recognised user.
public protocol BiometricKey: Sendable {
    /// The public half.
    var publicKey: JSONWebKey { get }
    /// What it signs with.
    var algorithm: SignatureAlgorithm { get }

    /// Asks the person, and signs.
    ///
    /// - Returns: The signature in the form of JWS (RFC 7518 §3).
    /// - Throws: as ``BiometricDevice/recognise(_:)``; `biometric.key_not_found` if the key is gone;
    ///   `store.unavailable`.
    func signature(of message: [UInt8], _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]
}

/// Who counts as recognised.
public enum BiometricPolicy: String, Hashable, Sendable {
    /// A finger or a face, and any of those that are enrolled now or later.
    case anyBiometry
    /// A finger or a face of those that are enrolled now: enrolling another one ends the key.
    case currentBiometry
    /// A finger, a face, or the device's own passcode.
    case biometryOrPasscode
}

/// How the person is asked.
public struct BiometricPrompt: Hashable, Sendable {
    /// Why they are asked, in their language: one line.
    public let reason: String
    /// What the button says that declines; `nil`: the device's own word.
    public let cancelTitle: String?
    /// Who counts.
    public let policy: BiometricPolicy

    /// - Parameters:
    ///   - reason: Not empty: some systems refuse to ask without one.
    ///   - cancelTitle: What the button says that gives up; `nil`: what the system says.
    ///   - policy: Whose finger or face counts.
    public init(reason: String, cancelTitle: String? = nil, policy: BiometricPolicy = .currentBiometry) {
        precondition(!reason.isEmpty, "say to the person why they are asked")
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.policy = policy
    }
}

extension AuthError.Code {
    /// The device has nothing to recognise a person by, or the app may not use it.
    public static let biometricUnsupported = Self(rawValue: "biometric.unsupported")
    /// It has, but no finger or face is enrolled.
    public static let biometricNoEnrollment = Self(rawValue: "biometric.no_enrollment")
    /// The device has no passcode, without which it keeps no such key.
    public static let biometricNoPasscode = Self(rawValue: "biometric.no_passcode")
    /// Too many tries: the device wants its passcode first.
    public static let biometricLockout = Self(rawValue: "biometric.lockout")
    /// It was touched by another person.
    public static let biometricFailed = Self(rawValue: "biometric.failed")
    /// There is no key: it was never set up, or it is gone. The way back is another sign-in, and setting it up anew.
    public static let biometricKeyNotFound = Self(rawValue: "biometric.key_not_found")
}
