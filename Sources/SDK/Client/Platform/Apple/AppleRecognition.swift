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
        ///
        /// - Parameter info: What the app's Info.plist says.
        static func checkSupport(
            _ policy: BiometricPolicy, info: (String) -> Any? = Bundle.main.object(forInfoDictionaryKey:)
        ) throws(AuthError) {
            let context = LAContext()
            var failure: NSError?
            let isPossible = unsafe context.canEvaluatePolicy(policy.system, error: &failure)
            try checkUsageDescription(context, info)
            guard isPossible else { throw AppleRecognition.error(failure) }
        }

        /// Asks. Cancelling the task closes the question.
        ///
        /// - Parameter info: What the app's Info.plist says.
        func ask(
            _ prompt: BiometricPrompt, info: (String) -> Any? = Bundle.main.object(forInfoDictionaryKey:)
        ) async throws(AuthError) {
            // The context knows its sensor only afterwards; the refusal comes again with the question.
            var refusal: NSError?
            _ = unsafe context.canEvaluatePolicy(prompt.policy.system, error: &refusal)
            try Self.checkUsageDescription(context, info)
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

        /// Without a reason in the Info.plist the system may end an app that asks for a face.
        private static func checkUsageDescription(
            _ context: LAContext, _ info: (String) -> Any?
        ) throws(AuthError) {
            guard context.biometryType == .faceID else { return }
            guard let reason = info("NSFaceIDUsageDescription") as? String, !reason.isEmpty else {
                throw AuthError(.misconfigured, "Face ID needs NSFaceIDUsageDescription in the app's Info.plist")
            }
        }

        /// What the system's refusals mean.
        static func error(_ error: (any Error)?) -> AuthError {
            guard let error = error.map({ $0 as NSError }), error.domain == LAError.errorDomain,
                let code = LAError.Code(rawValue: error.code)
            else { return AuthError(.unavailable, "the system did not say why nobody was recognised") }
            return switch code {
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
