#if os(Linux)
    internal import Crypto
    public import KeyturnBase
    public import KeyturnWebAuthn

    /// Security keys on Linux, through libfido2 where that is installed. It is looked for at run time: programs that
    /// never use it do not need it.
    ///
    /// The client data says the origin that the service was told (`passkeyOrigin`), and keys of another domain are
    /// refused, as browsers do.
    public struct SecurityKeys: PasskeyAuthenticator {
        let source: any SecurityKeySource
        let interaction: (any SecurityKeyInteraction)?
        let sleep: any PollSleep

        /// - Parameter interaction: Speaks with the person; without it, the user is not told when to touch a key, and
        ///   keys that need a PIN cannot be used.
        public init(interaction: (any SecurityKeyInteraction)? = nil) {
            self.init(source: FidoSource(), interaction: interaction)
        }

        init(
            source: any SecurityKeySource, interaction: (any SecurityKeyInteraction)?,
            sleep: any PollSleep = ContinuousSleep()
        ) {
            self.source = source
            self.interaction = interaction
            self.sleep = sleep
        }

        /// Whether the library is there; a key can be plugged in later.
        public var availability: PasskeyAvailability {
            get async { PasskeyAvailability(passkeys: false, securityKeys: source.isAvailable) }
        }

        public func create(
            _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> RegistrationResponse {
            try check(ceremony, rpID: options.rpID)
            guard options.authenticatorSelection.attachment != "platform" else {
                throw .passkeyUnavailable("the service wants a passkey of the device, and a security key is none")
            }
            let clientData = Self.clientData("webauthn.create", options.challenge, ceremony.origin)
            return try await using { connection throws(AuthError) in
                try await connection.create(options, clientData: clientData)
            }
        }

        public func get(
            _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
            try check(ceremony, rpID: options.rpID)
            let clientData = Self.clientData("webauthn.get", options.challenge, ceremony.origin)
            return try await using { connection throws(AuthError) in
                try await connection.get(options, clientData: clientData)
            }
        }

        private func check(_ ceremony: PasskeyCeremony, rpID: String) throws(AuthError) {
            guard !ceremony.isConditional else { throw .passkeyNeedsPrompt("a security key must be touched") }
            guard ceremony.authenticators.contains(.securityKey) else {
                throw .passkeyUnavailable("security keys were not asked for, and there is nothing else here")
            }
            guard source.isAvailable else {
                throw .passkeyUnavailable("libfido2 is not installed (Debian: libfido2-1)")
            }
            guard PasskeyOrigin.belongs(ceremony.origin, to: rpID) else {
                throw .passkey(
                    .passkeyDomain, .invalidDomain, .failed,
                    "the service's relying party does not belong to the origin that this program stands for")
            }
        }

        private func using<Answer>(
            _ body: (SecurityKeyConnection) async throws(AuthError) -> Answer
        ) async throws(AuthError) -> Answer {
            let finder = SecurityKeyFinder(source: source, interaction: interaction, sleep: sleep)
            let connection = SecurityKeyConnection(port: try await finder.find(), interaction: interaction)
            do throws(AuthError) {
                let answer = try await body(connection)
                connection.port.close()
                return answer
            } catch {
                connection.port.close()
                throw error
            }
        }

        /// The client data as browsers write it (WebAuthn Level 3 §5.8.1.1).
        static func clientData(_ type: String, _ challenge: [UInt8], _ origin: String) -> [UInt8] {
            JSONWriter.object { json in
                json.member("type", type)
                json.member("challenge", Base64URL.encode(challenge))
                json.member("origin", origin)
                json.member("crossOrigin", false)
            }
        }
    }
#endif
