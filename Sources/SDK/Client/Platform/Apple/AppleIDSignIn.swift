#if canImport(AuthenticationServices) && !os(watchOS)
    public import AuthenticationServices
    internal import Foundation
    public import KeyturnBase
    internal import KeyturnWire

    /// Sign in with Apple, with the system's sheet (`ASAuthorizationAppleIDProvider`). The app needs the capability of
    /// that name.
    public struct AppleIDSignIn: NativeSignIn {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

        /// - Parameter anchor: The window to show the sheet over, asked for each time; `nil` if there is none now.
        public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?) {
            self.anchor = anchor
        }

        /// Asks for name and address. The address is not forwarded: the service reads it from the ID token.
        public func credential(for start: NativeSocialStart) async throws(AuthError) -> NativeCredential {
            guard !Task.isCancelled else { throw .taskCancelled }
            return try await AppleIDCeremony.run(nonce: start.nonce, anchor: anchor)
        }
    }

    /// One sheet of the system's.
    @MainActor final class AppleIDCeremony: NSObject {
        typealias Outcome = Result<NativeCredential, AuthError>

        private let window: ASPresentationAnchor
        private let answer: AsyncStream<Outcome>.Continuation

        private init(_ window: ASPresentationAnchor, _ answer: AsyncStream<Outcome>.Continuation) {
            self.window = window
            self.answer = answer
        }

        static func run(
            nonce: String, anchor: @MainActor @Sendable () -> ASPresentationAnchor?
        ) async throws(AuthError) -> NativeCredential {
            guard let window = anchor() else {
                throw AuthError(.misconfigured, "there is no window to show the sheet over")
            }
            let (answers, answer) = AsyncStream.makeStream(of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
            let ceremony = AppleIDCeremony(window, answer)
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.requestedScopes = [.fullName, .email]
            request.nonce = nonce
            let controller = ASAuthorizationController(authorizationRequests: [request])
            // The controller holds both weakly.
            controller.delegate = ceremony
            controller.presentationContextProvider = ceremony
            defer { ceremony.end(controller) }
            controller.performRequests()
            for await outcome in answers { return try outcome.get() }
            throw .taskCancelled
        }

        private func end(_ controller: ASAuthorizationController) {
            controller.delegate = nil
            controller.presentationContextProvider = nil
            answer.finish()
            if #available(tvOS 18, *) { controller.cancel() }
        }

        private func finish(_ outcome: Outcome) {
            answer.yield(outcome)
            answer.finish()
        }

        static func outcome(_ credential: any ASAuthorizationCredential) -> Outcome {
            guard let credential = credential as? ASAuthorizationAppleIDCredential else {
                return .failure(AuthError(.providerFailed, "the system answered with another kind of credential"))
            }
            let name = NativeSocialName(
                firstName: credential.fullName?.givenName, middleName: credential.fullName?.middleName,
                lastName: credential.fullName?.familyName)
            return .success(
                NativeCredential(
                    idToken: secret(credential.identityToken), code: secret(credential.authorizationCode),
                    name: name.isEmpty ? nil : name))
        }

        private static func secret(_ data: Data?) -> Secret? {
            data.flatMap { String(bytes: $0, encoding: .utf8) }.map { Secret($0) }
        }

        static func problem(_ error: any Error) -> AuthError {
            // The system reports a sheet that was closed before an account was chosen as unknown.
            switch (error as? ASAuthorizationError)?.code {
            case .canceled, .unknown: AuthError(.cancelled, "the person closed the sheet", cause: error)
            default: AuthError(.providerFailed, "the system's sheet failed", cause: error)
            }
        }
    }

    extension AppleIDCeremony: ASAuthorizationControllerDelegate {
        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            finish(Self.outcome(authorization.credential))
        }

        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            finish(.failure(Self.problem(error)))
        }
    }

    extension AppleIDCeremony: ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }
    }
#endif
