#if canImport(AuthenticationServices) && !os(watchOS)
    internal import AuthenticationServices
    internal import Foundation
    internal import KeyturnBase
    internal import KeyturnWire

    /// What the system's failures mean.
    struct AppleFailure {
        private let system: PasskeyError.SystemFailure
        private let code: ASAuthorizationError.Code?

        init(_ error: any Error) {
            let known = error as NSError
            system = PasskeyError.SystemFailure(
                domain: known.domain, code: known.code,
                reason: known.userInfo[NSLocalizedFailureReasonErrorKey] as? String)
            code = (error as? ASAuthorizationError)?.code
        }

        /// This library's error.
        var problem: AuthError {
            guard let code else {
                return problem(.passkeyFailed, .unexpected, .unknown, "the system failed in a way of its own")
            }
            // Newer systems have cases that older declarations lack: those are known by their numbers.
            switch code.rawValue {
            case 1_005:
                // tvOS has no name for it.
                return problem(
                    .interactionRequired, .unexpected, .notInteractive, "the person must be asked, and may not be now")
            case 1_006:
                return problem(
                    .passkeyExcluded, .unexpected, .matchedExcludedCredential,
                    "this device has a passkey of this account already")
            case 1_010:
                return problem(
                    .passkeyUnavailable, .webauthnUnavailable, .deviceNotConfigured,
                    "this device keeps no passkeys: it has no passcode, or nothing that stores them")
            default: return problem(of: code)
            }
        }

        private func problem(of code: ASAuthorizationError.Code) -> AuthError {
            switch code {
            case .canceled:
                problem(
                    .cancelled, .canceledByUser, .canceled, "the person closed the sheet, or has nothing to answer with"
                )
            case .failed: refusal
            case .invalidResponse:
                problem(.passkeyFailed, .unexpected, .invalidResponse, "the authenticator's answer is invalid")
            case .notHandled: problem(.passkeyFailed, .unexpected, .notHandled, "nobody took the request")
            default: problem(.passkeyFailed, .unexpected, .unknown, "the system failed for no stated reason")
            }
        }

        /// A request that failed at once. As a rule the domain is not associated with the app; but a request that is
        /// under way, or an app in the background, has the same number and another reason.
        private var refusal: AuthError {
            guard let reason = system.reason, !reason.isEmpty, !reason.lowercased().contains("associat") else {
                return problem(
                    .passkeyDomain, .invalidDomain, .failed,
                    "the request failed at once: is the app associated with the relying party under webcredentials?")
            }
            return problem(.passkeyFailed, .unexpected, .failed, "the system refused the request: \(reason)")
        }

        private func problem(
            _ code: AuthError.Code, _ web: PasskeyClientCode, _ native: PasskeyError.Native, _ detail: String
        ) -> AuthError {
            AuthError(code, detail, cause: PasskeyError(web, native, system: system))
        }
    }
#endif
