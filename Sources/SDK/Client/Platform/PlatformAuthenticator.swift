internal import KeyturnBase
internal import KeyturnWebAuthn

/// The authenticator that this platform offers when the app brings none.
enum PlatformAuthenticator {
    static func make(browser: any BrowserAgent, for service: Service) -> any PasskeyAuthenticator {
        #if os(Linux)
            LinuxPasskeys(
                browser: BrowserPasskeys(browser), keys: SecurityKeys(),
                hasPage: service.kind == .keyturn && service.projectID != nil)
        #elseif os(macOS)
            // The system knows apps by their signature; a tool has no window either.
            guard AppleProgram.isApp else { return NoAuthenticator() }
            return ApplePasskeys { MacAnchor.find() }
        #elseif os(iOS) || os(tvOS) || os(visionOS)
            ApplePasskeys { AppleAnchor.find() }
        #else
            NoAuthenticator()
        #endif
    }
}

/// Stands where no authenticator is known.
struct NoAuthenticator: PasskeyAuthenticator {
    var availability: PasskeyAvailability {
        get async { .none }
    }

    func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse {
        throw .passkeyUnavailable("there is no authenticator here: pass a PasskeyAuthenticator")
    }

    func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        throw .passkeyUnavailable("there is no authenticator here: pass a PasskeyAuthenticator")
    }
}
