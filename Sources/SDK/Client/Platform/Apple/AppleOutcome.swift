#if canImport(AuthenticationServices) && !os(watchOS)
    internal import AuthenticationServices
    internal import Foundation
    internal import KeyturnBase
    internal import KeyturnWire

    extension AppleCeremony {
        /// What a credential says. Plain data leaves the main actor; the system's objects do not.
        static func outcome(_ credential: any ASAuthorizationCredential) -> Outcome {
            switch credential {
            case let made as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                return .success(.registration(registration(made, attachment: attachment(of: made))))
            case let signed as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                return assertion(signed, attachment: attachment(of: signed))
            default:
                return securityKey(credential)
            }
        }

        #if os(tvOS) || os(visionOS)
            private static func securityKey(_ credential: any ASAuthorizationCredential) -> Outcome {
                .failure(unexpected)
            }
        #else
            private static func securityKey(_ credential: any ASAuthorizationCredential) -> Outcome {
                switch credential {
                case let made as ASAuthorizationSecurityKeyPublicKeyCredentialRegistration:
                    .success(.registration(registration(made, attachment: "cross-platform")))
                case let signed as ASAuthorizationSecurityKeyPublicKeyCredentialAssertion:
                    assertion(signed, attachment: "cross-platform")
                default:
                    .failure(unexpected)
                }
            }
        #endif

        private static func registration(
            _ made: any ASAuthorizationPublicKeyCredentialRegistration, attachment: String?
        ) -> AppleAnswer.Registration {
            AppleAnswer.Registration(
                credentialID: Array(made.credentialID), clientDataJSON: Array(made.rawClientDataJSON),
                attestationObject: made.rawAttestationObject.map { Array($0) }, attachment: attachment)
        }

        private static func assertion(
            _ signed: any ASAuthorizationPublicKeyCredentialAssertion, attachment: String?
        ) -> Outcome {
            // Declared as always there, by a language that cannot promise it.
            guard let data: Data = signed.rawAuthenticatorData, let signature: Data = signed.signature else {
                return .failure(
                    .passkey(.passkeyFailed, .unexpected, .invalidResponse, "the system's answer has no signature"))
            }
            let userID: Data? = signed.userID
            return .success(
                .assertion(
                    AppleAnswer.Assertion(
                        credentialID: Array(signed.credentialID), clientDataJSON: Array(signed.rawClientDataJSON),
                        authenticatorData: Array(data), signature: Array(signature),
                        userID: userID.flatMap { $0.isEmpty ? nil : Array($0) }, attachment: attachment)))
        }

        #if os(tvOS)
            // A credential does not say there where it came from, and no other kind is asked for.
            private static func attachment(of credential: some ASPublicKeyCredential) -> String? { "platform" }
        #else
            private static func attachment(
                of credential: ASAuthorizationPlatformPublicKeyCredentialRegistration
            ) -> String? {
                attachment(credential.attachment)
            }

            private static func attachment(
                of credential: ASAuthorizationPlatformPublicKeyCredentialAssertion
            ) -> String? {
                attachment(credential.attachment)
            }

            private static func attachment(_ attachment: ASAuthorizationPublicKeyCredentialAttachment) -> String? {
                switch attachment {
                case .platform: "platform"
                case .crossPlatform: "cross-platform"
                default: nil
                }
            }
        #endif

        private static let unexpected = AuthError.passkey(
            .passkeyFailed, .unexpected, .unexpectedAuthorizationType,
            "the system answered with another kind of credential")
    }
#endif
