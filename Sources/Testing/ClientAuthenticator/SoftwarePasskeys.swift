public import Keyturn
public import KeyturnAuthenticator
public import KeyturnBase
public import KeyturnWebAuthn

/// A ``SoftwareAuthenticator`` as apps use authenticators: for tests of apps, without a device and without a user.
public actor SoftwarePasskeys: PasskeyAuthenticator {
    /// Its credentials and its behaviour.
    public private(set) var authenticator: SoftwareAuthenticator
    /// The ceremonies that it took part in.
    public private(set) var ceremonies: [PasskeyCeremony] = []
    /// Whether the app gives the client data's origin, as for security keys; if not, it is the relying party's, or that
    /// of the behaviour.
    private let takesOrigin: Bool
    public nonisolated let availability: PasskeyAvailability

    public init(
        _ authenticator: SoftwareAuthenticator, takesOrigin: Bool = false,
        availability: PasskeyAvailability = PasskeyAvailability(
            passkeys: true, securityKeys: true, autofill: true, upgrades: true)
    ) {
        self.authenticator = authenticator
        self.takesOrigin = takesOrigin
        self.availability = availability
    }

    /// Changes its credentials or its behaviour.
    public func change(_ body: @Sendable (inout SoftwareAuthenticator) -> Void) {
        body(&authenticator)
    }

    public func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse {
        begin(ceremony)
        do {
            return try authenticator.register(options)
        } catch {
            throw Self.failure(error)
        }
    }

    public func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        begin(ceremony)
        do {
            return try authenticator.authenticate(options)
        } catch {
            throw Self.failure(error)
        }
    }

    private func begin(_ ceremony: PasskeyCeremony) {
        ceremonies.append(ceremony)
        if takesOrigin { authenticator.behaviour.origin = ceremony.origin }
    }

    /// The error that a client makes of a browser's refusal.
    private static func failure(_ error: any Error) -> AuthError {
        let detail = "the software authenticator refuses"
        return switch error as? SoftwareAuthenticator.Refusal {
        case .excluded:
            AuthError(.passkeyExcluded, detail, cause: PasskeyError(.unexpected, .matchedExcludedCredential))
        case .noCredential: AuthError(.passkeyNotFound, detail, cause: PasskeyError(.canceledByUser, .noCredential))
        case .noAlgorithm: AuthError(.passkeyFailed, detail, cause: PasskeyError(.unexpected, .failed))
        case nil: AuthError(.passkeyFailed, detail, cause: error)
        }
    }
}
