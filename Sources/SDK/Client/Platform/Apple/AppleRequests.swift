#if canImport(AuthenticationServices) && !os(watchOS)
    internal import AuthenticationServices
    internal import Foundation
    internal import KeyturnBase
    internal import KeyturnWebAuthn

    /// What the system is asked, made of what the service asked: nothing is decided here that the options decide.
    struct AppleRequests: Sendable {
        /// Made on the main actor, where requests belong.
        let make: @MainActor @Sendable () -> [ASAuthorizationRequest]

        #if os(tvOS) || os(visionOS)
            static let takesSecurityKeys = false
        #else
            static let takesSecurityKeys = true
        #endif

        #if os(macOS) || os(tvOS) || targetEnvironment(macCatalyst)
            static let offersAutoFill = false
        #else
            static let offersAutoFill = true
        #endif

        #if os(tvOS)
            static let answersImmediately = false
        #else
            static let answersImmediately = true
        #endif

        static var offersUpgrades: Bool {
            #if os(tvOS)
                false
            #else
                if #available(iOS 18, macOS 15, visionOS 2, *) { true } else { false }
            #endif
        }

        /// - Throws: `passkey.unavailable` if no authenticator here may answer.
        static func registrations(
            _ options: PublicKeyCredentialCreationOptions, _ ceremony: PasskeyCeremony
        ) throws(AuthError) -> AppleRequests {
            let attachment = options.authenticatorSelection.attachment
            let asksPlatform = ceremony.authenticators.contains(.passkey) && attachment != "cross-platform"
            let asksKey =
                takesSecurityKeys && ceremony.authenticators.contains(.securityKey) && attachment != "platform"
                && !ceremony.isConditional
            guard asksPlatform || asksKey else {
                throw .passkeyUnavailable("none of the authenticators asked for is here")
            }
            return AppleRequests {
                (asksPlatform ? [platformRegistration(options, isConditional: ceremony.isConditional)] : [])
                    + (asksKey ? securityKeyRegistration(options) : [])
            }
        }

        /// - Throws: `passkey.unavailable` if no authenticator here may answer. Security keys are asked for the
        ///   credentials of a list alone.
        static func assertions(
            _ options: PublicKeyCredentialRequestOptions, _ ceremony: PasskeyCeremony
        ) throws(AuthError) -> AppleRequests {
            let asksPlatform = ceremony.authenticators.contains(.passkey)
            // A security key that is not plugged in yet has nothing at once.
            let asksKey =
                takesSecurityKeys && ceremony.authenticators.contains(.securityKey) && !ceremony.isConditional
                && !ceremony.isImmediate && !options.allowCredentials.isEmpty
            guard asksPlatform || asksKey else {
                throw .passkeyUnavailable("none of the authenticators asked for can answer this request")
            }
            return AppleRequests {
                (asksPlatform ? [platformAssertion(options)] : []) + (asksKey ? securityKeyAssertion(options) : [])
            }
        }

        @MainActor private static func platformRegistration(
            _ options: PublicKeyCredentialCreationOptions, isConditional: Bool
        ) -> ASAuthorizationRequest {
            let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rpID)
            let (challenge, name, userID) = (
                Data(options.challenge), options.user.name ?? "", Data(options.user.id)
            )
            let request: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
            #if os(tvOS)
                request = provider.createCredentialRegistrationRequest(challenge: challenge, name: name, userID: userID)
            #else
                if #available(iOS 18, macOS 15, visionOS 2, *) {
                    request = provider.createCredentialRegistrationRequest(
                        challenge: challenge, name: name, userID: userID,
                        requestStyle: isConditional ? .conditional : .standard)
                } else {
                    request = provider.createCredentialRegistrationRequest(
                        challenge: challenge, name: name, userID: userID)
                }
                request.attestationPreference = attestation(options.attestation)
            #endif
            #if !os(tvOS) && !os(visionOS)
                if #available(iOS 17.4, *), !options.excludeCredentials.isEmpty {
                    request.excludedCredentials = options.excludeCredentials.map {
                        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0.id))
                    }
                }
            #endif
            request.displayName = options.user.displayName
            request.userVerificationPreference = verification(options.authenticatorSelection.userVerification)
            return request
        }

        @MainActor private static func platformAssertion(
            _ options: PublicKeyCredentialRequestOptions
        ) -> ASAuthorizationRequest {
            let request = ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: options.rpID)
                .createCredentialAssertionRequest(challenge: Data(options.challenge))
            if !options.allowCredentials.isEmpty {
                request.allowedCredentials = options.allowCredentials.map {
                    ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0.id))
                }
            }
            request.userVerificationPreference = verification(options.userVerification)
            return request
        }

        private static func verification(
            _ wanted: UserVerificationRequirement
        ) -> ASAuthorizationPublicKeyCredentialUserVerificationPreference {
            switch wanted {
            case .required: .required
            case .preferred: .preferred
            case .discouraged: .discouraged
            }
        }

        #if !os(tvOS)
            private static func attestation(
                _ wanted: AttestationPolicy.Conveyance
            ) -> ASAuthorizationPublicKeyCredentialAttestationKind {
                switch wanted {
                case .none: .none
                case .indirect: .indirect
                case .direct: .direct
                case .enterprise: .enterprise
                }
            }
        #endif
    }

    #if os(tvOS) || os(visionOS)
        extension AppleRequests {
            @MainActor private static func securityKeyRegistration(
                _ options: PublicKeyCredentialCreationOptions
            ) -> [ASAuthorizationRequest] { [] }

            @MainActor private static func securityKeyAssertion(
                _ options: PublicKeyCredentialRequestOptions
            ) -> [ASAuthorizationRequest] { [] }
        }
    #else
        extension AppleRequests {
            @MainActor private static func securityKeyRegistration(
                _ options: PublicKeyCredentialCreationOptions
            ) -> [ASAuthorizationRequest] {
                let name = options.user.name ?? ""
                let request = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(
                    relyingPartyIdentifier: options.rpID
                )
                .createCredentialRegistrationRequest(
                    challenge: Data(options.challenge), displayName: options.user.displayName ?? name, name: name,
                    userID: Data(options.user.id))
                // None named means these (WebAuthn Level 3 §5.1.3 step 10).
                let algorithms = options.algorithms.isEmpty ? [-7, -257] : options.algorithms
                request.credentialParameters = algorithms.map {
                    ASAuthorizationPublicKeyCredentialParameters(
                        algorithm: ASCOSEAlgorithmIdentifier(rawValue: Int($0)))
                }
                request.excludedCredentials = options.excludeCredentials.map(descriptor)
                request.residentKeyPreference =
                    switch options.authenticatorSelection.residentKey {
                    case .required: .required
                    case .preferred: .preferred
                    case .discouraged: .discouraged
                    }
                request.userVerificationPreference = verification(options.authenticatorSelection.userVerification)
                request.attestationPreference = attestation(options.attestation)
                return [request]
            }

            @MainActor private static func securityKeyAssertion(
                _ options: PublicKeyCredentialRequestOptions
            ) -> [ASAuthorizationRequest] {
                let request = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(
                    relyingPartyIdentifier: options.rpID
                )
                .createCredentialAssertionRequest(challenge: Data(options.challenge))
                request.allowedCredentials = options.allowCredentials.map(descriptor)
                request.userVerificationPreference = verification(options.userVerification)
                return [request]
            }

            /// Transports that the system knows; without any, all of them.
            private static func descriptor(
                _ descriptor: CredentialDescriptor
            ) -> ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor {
                typealias Descriptor = ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor
                let known: [String: Descriptor.Transport] = ["usb": .usb, "nfc": .nfc, "ble": .bluetooth]
                let transports = descriptor.transports.compactMap { known[$0] }
                return Descriptor(
                    credentialID: Data(descriptor.id),
                    transports: transports.isEmpty ? Descriptor.Transport.allSupported : transports)
            }
        }
    #endif
#endif
