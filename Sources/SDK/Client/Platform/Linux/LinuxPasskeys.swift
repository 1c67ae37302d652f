#if os(Linux)
    internal import KeyturnBase
    internal import KeyturnWebAuthn

    /// What Linux has: the browser where the service has a page for it, else a security key.
    struct LinuxPasskeys: PasskeyAuthenticator {
        let browser: BrowserPasskeys
        let keys: SecurityKeys
        /// Whether the service has a page for it.
        let hasPage: Bool

        var availability: PasskeyAvailability {
            get async {
                let keys = await keys.availability
                return PasskeyAvailability(passkeys: hasPage, securityKeys: keys.securityKeys || hasPage)
            }
        }

        func create(
            _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> RegistrationResponse {
            try await authenticator(ceremony).create(options, in: ceremony)
        }

        func get(
            _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
            try await authenticator(ceremony).get(options, in: ceremony)
        }

        private func authenticator(_ ceremony: PasskeyCeremony) -> any PasskeyAuthenticator {
            ceremony.page != nil && ceremony.authenticators.contains(.passkey) ? browser : keys
        }
    }
#endif
