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
        /// How the person is asked.
        enum Style {
            case sheet
            /// Above the keyboard of a form.
            case form
            /// Only if there is something on this device to answer with.
            case immediate
        }

        typealias Outcome = Result<AppleAnswer, AuthError>

        private let window: ASPresentationAnchor
        private let answer: AsyncStream<Outcome>.Continuation

        private init(_ window: ASPresentationAnchor, _ answer: AsyncStream<Outcome>.Continuation) {
            self.window = window
            self.answer = answer
        }

        /// Shows what is asked, and waits. Ends when the calling task is cancelled.
        static func run(
            _ requests: AppleRequests, _ style: Style, anchor: @MainActor @Sendable () -> ASPresentationAnchor?
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
            Self.perform(controller, style)
            for await outcome in answers { return try outcome.get() }
            throw .taskCancelled
        }

        private static func perform(_ controller: ASAuthorizationController, _ style: Style) {
            #if os(tvOS)
                controller.performRequests()
            #elseif os(macOS) || targetEnvironment(macCatalyst)
                switch style {
                case .sheet, .form: controller.performRequests()
                case .immediate: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                }
            #else
                switch style {
                case .sheet: controller.performRequests()
                case .form: controller.performAutoFillAssistedRequests()
                case .immediate: controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                }
            #endif
        }

        private func end(_ controller: ASAuthorizationController) {
            controller.delegate = nil
            controller.presentationContextProvider = nil
            answer.finish()
            // On older tvOS a controller cannot be cancelled: its sheet stays until the person closes it.
            if #available(tvOS 18, *) { controller.cancel() }
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
            finish(.failure(AppleFailure(error).problem))
        }
    }

    extension AppleCeremony: ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }
    }
#endif
