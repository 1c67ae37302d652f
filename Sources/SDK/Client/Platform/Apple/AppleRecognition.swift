#if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
    internal import Foundation
    internal import KeyturnBase
    internal import LocalAuthentication

    /// One time of asking the person, and what it opened.
    // The system's object is documented to be used from any thread; all that is done here is one call at a time.
    final class AppleRecognition: @unchecked Sendable {
        /// What the keychain takes as proof that the person was recognised.
        let context = LAContext()

        init(_ prompt: BiometricPrompt) {
            context.localizedCancelTitle = prompt.cancelTitle
            // Without a title there is no button that leads to the passcode.
            if prompt.policy != .biometryOrPasscode { context.localizedFallbackTitle = "" }
        }

        /// Whether the person could be asked.
        static func checkSupport(_ policy: BiometricPolicy) throws(AuthError) {
            var failure: NSError?
            guard unsafe LAContext().canEvaluatePolicy(policy.system, error: &failure) else {
                throw AppleRecognition.error(failure)
            }
        }

        /// Asks. Cancelling the task closes the question.
        func ask(_ prompt: BiometricPrompt) async throws(AuthError) {
            let failure: AuthError? = await withTaskCancellationHandler {
                await withCheckedContinuation { waiting in
                    context.evaluatePolicy(prompt.policy.system, localizedReason: prompt.reason) {
                        isRecognised, error in
                        waiting.resume(returning: isRecognised ? nil : Self.error(error))
                    }
                }
            } onCancel: {
                context.invalidate()
            }
            if let failure { throw Task.isCancelled ? .taskCancelled : failure }
        }

        /// What the system's refusals mean.
        static func error(_ error: (any Error)?) -> AuthError {
            let known = error.map { $0 as NSError }.flatMap { error in
                error.domain == LAError.errorDomain ? LAError.Code(rawValue: error.code) : nil
            }
            return switch known {
            case .userCancel, .appCancel, .systemCancel, .userFallback:
                AuthError(.cancelled, "the person was asked, and declined")
            case .authenticationFailed: AuthError(.biometricFailed, "it was somebody else")
            case .biometryLockout: AuthError(.biometricLockout, "too many tries: the device wants its passcode")
            case .biometryNotEnrolled: AuthError(.biometricNoEnrollment, "nobody has enrolled a finger or a face")
            case .passcodeNotSet: AuthError(.biometricNoPasscode, "the device has no passcode")
            case .biometryNotAvailable:
                AuthError(.biometricUnsupported, "there is no sensor, or the app may not use it")
            case .notInteractive: AuthError(.unavailable, "nobody can be asked now")
            default: AuthError(.unavailable, "the system did not say why nobody was recognised")
            }
        }
    }

    extension BiometricPolicy {
        fileprivate var system: LAPolicy {
            self == .biometryOrPasscode ? .deviceOwnerAuthentication : .deviceOwnerAuthenticationWithBiometrics
        }
    }
#endif
