#if canImport(AuthenticationServices) && !os(watchOS)
    internal import AuthenticationServices
    internal import Foundation
    internal import KeyturnBase

    /// What the system answered, as plain data.
    enum AppleAnswer: Sendable {
        struct Registration: Sendable {
            let credentialID: [UInt8]
            let clientDataJSON: [UInt8]
            /// `nil`: the system keeps it to itself.
            let attestationObject: [UInt8]?
            let attachment: String?
        }

        struct Assertion: Sendable {
            let credentialID: [UInt8]
            let clientDataJSON: [UInt8]
            let authenticatorData: [UInt8]
            let signature: [UInt8]
            /// `nil`: security keys need not keep it.
            let userID: [UInt8]?
            let attachment: String?
        }

        case registration(Registration)
        case assertion(Assertion)
    }

    /// One sheet of the system's, or one offer in a form.
    @MainActor final class AppleCeremony: NSObject {
        typealias Outcome = Result<AppleAnswer, AuthError>

        private let window: ASPresentationAnchor
        private let answer: AsyncStream<Outcome>.Continuation

        private init(_ window: ASPresentationAnchor, _ answer: AsyncStream<Outcome>.Continuation) {
            self.window = window
            self.answer = answer
        }

        /// Shows what is asked, and waits. Ends when the calling task is cancelled.
        static func run(
            _ requests: AppleRequests, isAutoFill: Bool, anchor: @MainActor @Sendable () -> ASPresentationAnchor?
        ) async throws(AuthError) -> AppleAnswer {
            guard let window = anchor() else {
                throw AuthError(.misconfigured, "there is no window to show the passkey sheet over")
            }
            // The system has called back twice, and never. A stream of one takes the first answer, ends with the task,
            // and the rest is dropped.
            let (answers, answer) = AsyncStream.makeStream(of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
            let ceremony = AppleCeremony(window, answer)
            let controller = ASAuthorizationController(authorizationRequests: requests.make())
            // The controller holds both weakly.
            controller.delegate = ceremony
            controller.presentationContextProvider = ceremony
            defer { ceremony.end(controller) }
            #if os(macOS) || os(tvOS) || targetEnvironment(macCatalyst)
                controller.performRequests()
            #else
                if isAutoFill { controller.performAutoFillAssistedRequests() } else { controller.performRequests() }
            #endif
            for await outcome in answers { return try outcome.get() }
            throw .taskCancelled
        }

        private func end(_ controller: ASAuthorizationController) {
            controller.delegate = nil
            controller.presentationContextProvider = nil
            answer.finish()
            // On tvOS a controller cannot be cancelled: its sheet stays until the person closes it.
            #if !os(tvOS)
                controller.cancel()
            #endif
        }

        private func finish(_ outcome: Outcome) {
            answer.yield(outcome)
            answer.finish()
        }
    }

    extension AppleCeremony: ASAuthorizationControllerDelegate {
        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            finish(Self.outcome(authorization.credential))
        }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            finish(.failure(Self.failure(error)))
        }
    }

    extension AppleCeremony: ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }
    }
#endif
