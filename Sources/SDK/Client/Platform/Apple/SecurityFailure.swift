#if canImport(Security)
    internal import Foundation
    internal import KeyturnBase
    internal import Security

    /// Why a function of the Security framework returned nothing: its error, and the errors under it.
    ///
    /// Numbers mean nothing without their domain: -4 is "not implemented" as an `OSStatus` and "cancelled" as an error of
    /// a token. Making a key wraps the token's error into an `OSStatus`; signing hands it on as it is, or that of
    /// LocalAuthentication.
    struct SecurityFailure: Sendable {
        /// A domain, and a number of that domain.
        struct Reason: Hashable, Sendable {
            let domain: String
            let code: Int

            static func status(_ status: KeychainStatus) -> Self {
                Self(domain: "NSOSStatusErrorDomain", code: Int(status.rawValue))
            }

            static func token(_ error: TokenError) -> Self {
                Self(domain: "CryptoTokenKit", code: error.rawValue)
            }

            static func person(_ error: AuthenticationError) -> Self {
                Self(domain: "com.apple.LocalAuthentication", code: error.rawValue)
            }
        }

        /// What a token says, such as the Secure Enclave (`TKError.Code`).
        enum TokenError: Int {
            case notImplemented = -1
            case canceledByUser = -4
            case authenticationFailed = -5
            case objectNotFound = -6
            case tokenNotFound = -7
        }

        /// What was said to the question who the user is (`LAError.Code`).
        enum AuthenticationError: Int {
            case authenticationFailed = -1
            case userCancel = -2
            case systemCancel = -4
            case appCancel = -9
        }

        /// The outer one first.
        let reasons: [Reason]

        /// Takes over the error that a function made.
        @unsafe init(_ failure: Unmanaged<CFError>?) {
            self.init(of: unsafe failure?.takeRetainedValue())
        }

        init(of error: (any Error)?) {
            var reasons: [Reason] = []
            var next = error.map { $0 as NSError }
            while let error = next, reasons.count < Limits.underlyingErrors {
                reasons.append(Reason(domain: error.domain, code: error.code))
                next = error.userInfo[NSUnderlyingErrorKey] as? NSError
            }
            self.reasons = reasons
        }
    }

    extension SecurityFailure {
        /// Making a key looks for nothing but the Enclave, so what was not found is that.
        var isEnclaveMissing: Bool {
            has([
                .status(.unimplemented), .status(.itemNotFound), .token(.notImplemented), .token(.tokenNotFound),
                .token(.objectNotFound),
            ])
        }

        /// Whether the key that was to be used is not there any more.
        var isKeyMissing: Bool { has([.status(.itemNotFound), .token(.objectNotFound)]) }

        var isCancelled: Bool {
            has([
                .status(.userCanceled), .token(.canceledByUser), .person(.userCancel), .person(.systemCancel),
                .person(.appCancel),
            ])
        }

        var isUserNotRecognised: Bool {
            has([
                .status(.authenticationFailed), .token(.authenticationFailed), .person(.authenticationFailed),
            ])
        }

        /// This library's error, where none of the above is meant.
        ///
        /// - Parameter subject: What could not be done, as the beginning of a sentence.
        func problem(_ subject: String) -> AuthError {
            for reason in reasons where reason.domain == "NSOSStatusErrorDomain" {
                return KeychainStatus(rawValue: Int32(truncatingIfNeeded: reason.code)).problem(subject)
            }
            let said = reasons.map { "\($0.domain) \($0.code)" }.joined(separator: ", ")
            return AuthError(.storeUnavailable, "\(subject) (\(said.isEmpty ? "no reason was given" : said))")
        }

        private func has(_ meanings: Set<Reason>) -> Bool { !meanings.isDisjoint(with: reasons) }
    }
#endif
