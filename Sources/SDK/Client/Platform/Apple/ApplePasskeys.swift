#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    internal import Foundation
    public import KeyturnBase
    public import KeyturnWebAuthn
    internal import KeyturnWire

    /// Passkeys of the system, and security keys where the system takes them (`ASAuthorizationController`).
    ///
    /// The app must be associated with the relying party's domain under `webcredentials`; otherwise every request ends at
    /// once with `passkey.invalid_domain`.
    public struct ApplePasskeys: PasskeyAuthenticator {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

        /// - Parameter anchor: The window to show the sheet over, asked for each time; `nil` if there is none now.
        public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?) {
            self.anchor = anchor
        }

        public var availability: PasskeyAvailability {
            get async {
                PasskeyAvailability(
                    passkeys: true, securityKeys: AppleRequests.takesSecurityKeys,
                    autofill: AppleRequests.offersAutoFill, upgrades: AppleRequests.offersUpgrades,
                    immediate: AppleRequests.answersImmediately)
            }
        }

        public func create(
            _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> RegistrationResponse {
            guard !ceremony.isConditional || AppleRequests.offersUpgrades else {
                throw .passkeyNeedsPrompt("this system makes no passkeys without a prompt")
            }
            let answer = try await perform(try AppleRequests.registrations(options, ceremony), .sheet)
            guard case .registration(let registration) = answer else { throw Self.unexpected }
            guard let attestationObject = registration.attestationObject else {
                throw .passkey(
                    .passkeyFailed, .unexpected, .registrationDataMissing, "the system keeps the attestation to itself")
            }
            return RegistrationResponse(
                id: registration.credentialID, clientDataJSON: registration.clientDataJSON,
                attestationObject: attestationObject, authenticatorAttachment: registration.attachment)
        }

        public func get(
            _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
        ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
            guard !ceremony.isConditional || AppleRequests.offersAutoFill else {
                throw .passkeyNeedsPrompt("this system offers no passkeys in a form")
            }
            guard !ceremony.isImmediate || AppleRequests.answersImmediately else {
                throw .passkeyNeedsPrompt("this system shows a sheet even if it has no passkey")
            }
            let style: AppleCeremony.Style =
                ceremony.isConditional ? .form : ceremony.isImmediate ? .immediate : .sheet
            let answer = try await perform(try AppleRequests.assertions(options, ceremony), style)
            guard case .assertion(let assertion) = answer else { throw Self.unexpected }
            return KeyturnWebAuthn.AuthenticationResponse(
                id: assertion.credentialID, clientDataJSON: assertion.clientDataJSON,
                authenticatorData: assertion.authenticatorData, signature: assertion.signature,
                userHandle: assertion.userID, authenticatorAttachment: assertion.attachment)
        }

        private func perform(
            _ requests: AppleRequests, _ style: AppleCeremony.Style
        ) async throws(AuthError) -> AppleAnswer {
            guard !Task.isCancelled else { throw .taskCancelled }
            return try await AppleCeremony.run(requests, style, anchor: anchor)
        }

        private static let unexpected = AuthError.passkey(
            .passkeyFailed, .unexpected, .unexpectedAuthorizationType,
            "the system answered with another kind of credential")
    }
#endif
