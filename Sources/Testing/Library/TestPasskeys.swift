internal import KeyturnAuthenticator
internal import KeyturnClientAuthenticator
public import Keyturn
public import KeyturnWebAuthn
internal import Synchronization

/// Passkeys without a device and without a user, for `Keyturn(…, authenticator:)`: answers at once, and keeps its keys in
/// memory.
///
/// One object is one device: give the same one to the next container, and its passkeys are still there.
public final class TestPasskeys: PasskeyAuthenticator {
    /// What the user does when asked.
    public enum Conduct: Hashable, Sendable {
        /// Agrees, and is recognised.
        case agrees
        /// Cancels: the app gets `sign_in.cancelled`.
        case cancels
    }

    private let inner: SoftwarePasskeys
    private let chosen = Mutex(Conduct.agrees)

    /// A device without passkeys.
    public init() {
        inner = SoftwarePasskeys(SoftwareAuthenticator(ambient: .live), takesOrigin: true)
    }

    /// What the user does from now on.
    public var conduct: Conduct {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }

    /// How many passkeys the device has.
    public var count: Int {
        get async { await inner.authenticator.credentials.count }
    }

    /// Everything but immediate answers.
    public var availability: PasskeyAvailability {
        get async { inner.availability }
    }

    /// Makes a passkey.
    ///
    /// - Throws: `sign_in.cancelled` if the user cancels; `passkey.excluded` if the device has one already.
    public func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse {
        try ask()
        return try await inner.create(options, in: ceremony)
    }

    /// Signs with a passkey.
    ///
    /// - Throws: `sign_in.cancelled` if the user cancels; `passkey.not_found` if the device has none.
    public func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        try ask()
        return try await inner.get(options, in: ceremony)
    }

    private func ask() throws(AuthError) {
        guard conduct == .agrees else { throw AuthError(.cancelled, "the user cancelled") }
    }
}
