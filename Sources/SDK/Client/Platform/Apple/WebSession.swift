#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    internal import AuthenticationServices
    internal import Foundation
    internal import KeyturnBase

    /// One sheet of the system's browser.
    @MainActor final class WebSession: WebAuthenticationSession {
        nonisolated let redirectURI: String
        private let callback: WebCallback
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?
        private typealias Outcome = Result<String, AuthError>
        private var session: ASWebAuthenticationSession?
        private var answer: AsyncStream<Outcome>.Continuation?
        /// The session holds it weakly.
        private var presenter: Presenter?

        init(
            redirectURI: String, callback: WebCallback, isEphemeral: Bool,
            anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) {
            self.redirectURI = redirectURI
            self.callback = callback
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            guard !Task.isCancelled else { throw .taskCancelled }
            guard session == nil else { throw AuthError(.misconfigured, "this session has a sheet already") }
            guard let page = URL(string: url) else {
                throw AuthError(.misconfigured, "the authorization URL is not one")
            }
            guard let window = anchor() else {
                throw AuthError(.misconfigured, "there is no window to show the browser sheet over")
            }
            // The system has called back twice, and never. A stream of one takes the first answer, ends with the task,
            // and the rest is dropped.
            let (answers, answer) = AsyncStream.makeStream(of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
            let session = session(page) { @Sendable url, error in
                answer.yield(Self.outcome(url, error))
                answer.finish()
            }
            let presenter = Presenter(window)
            session.presentationContextProvider = presenter
            session.prefersEphemeralWebBrowserSession = isEphemeral
            self.session = session
            self.answer = answer
            self.presenter = presenter
            defer { close() }
            guard session.start() else { throw AuthError(.unavailable, "the browser sheet cannot be shown now") }
            for await outcome in answers { return try outcome.get() }
            throw .taskCancelled
        }

        func close() {
            session?.cancel()
            // Not every cancelled session calls back.
            answer?.yield(.failure(AuthError(.cancelled, "the sign-in was closed")))
            answer?.finish()
            answer = nil
            session = nil
            presenter = nil
        }

        /// The handler is called on a queue of the system's choice, so it must not belong to the main actor.
        private func session(
            _ page: URL, _ handler: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) -> ASWebAuthenticationSession {
            guard #available(iOS 17.4, visionOS 1.1, *) else {
                guard case .scheme(let scheme) = callback else {
                    preconditionFailure("prepare refuses pages on older systems")
                }
                return ASWebAuthenticationSession(url: page, callbackURLScheme: scheme, completionHandler: handler)
            }
            let watched: ASWebAuthenticationSession.Callback =
                switch callback {
                case .scheme(let scheme): .customScheme(scheme)
                case .page(let host, let path): .https(host: host, path: path)
                }
            return ASWebAuthenticationSession(url: page, callback: watched, completionHandler: handler)
        }

        /// What the system's answer means, as plain data.
        nonisolated private static func outcome(_ url: URL?, _ error: (any Error)?) -> Outcome {
            if let url { return .success(url.absoluteString) }
            guard let error else {
                return .failure(AuthError(.unavailable, "the browser sheet ended without an answer"))
            }
            guard let known = error as? ASWebAuthenticationSessionError else {
                return .failure(AuthError(.unavailable, "the browser sheet failed", cause: error))
            }
            switch known.code {
            case .canceledLogin:
                // Also what the system says when the domain of an https callback is not associated with the app.
                guard known.errorUserInfo[NSLocalizedFailureReasonErrorKey] == nil else {
                    let detail = "the domain of the redirect URI is not associated with the app under webcredentials"
                    return .failure(AuthError(.misconfigured, detail, cause: error))
                }
                return .failure(AuthError(.cancelled, "the person closed the browser sheet"))
            case .presentationContextNotProvided, .presentationContextInvalid:
                return .failure(AuthError(.misconfigured, "the window cannot show the browser sheet", cause: error))
            default:
                return .failure(AuthError(.unavailable, "the browser sheet failed", cause: error))
            }
        }
    }

    /// Names the window to the system.
    @MainActor private final class Presenter: NSObject, ASWebAuthenticationPresentationContextProviding {
        private let window: ASPresentationAnchor

        init(_ window: ASPresentationAnchor) {
            self.window = window
        }

        func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window }
    }
#endif
