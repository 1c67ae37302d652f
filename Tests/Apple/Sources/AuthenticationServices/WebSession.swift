import Foundation

// Names, signatures and isolation as in Apple's public documentation of AuthenticationServices (SDKs of Xcode 26).
// Optional requirements are required here, so that a misspelt one does not pass.

/// A window (`UIWindow`, `NSWindow`).
@MainActor public final class ASPresentationAnchor: NSObject {
    /// Of a window of UIKit.
    public var isHidden = false
    /// Of a window of AppKit.
    public var isVisible = true
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

public struct ASWebAuthenticationSessionError: CustomNSError {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
        /// Stands for what a later system adds: the real enumeration is not frozen.
        case fromTheFuture = 99
    }

    public static let errorDomain = "com.apple.AuthenticationServices.WebAuthenticationSession"
    public let code: Code
    public let errorUserInfo: [String: Any]
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        errorUserInfo = userInfo
    }
}

open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    public struct Callback: Hashable, Sendable {
        let watched: String

        public static func customScheme(_ customScheme: String) -> Callback { Callback(watched: customScheme + ":") }
        public static func https(host: String, path: String) -> Callback { Callback(watched: "https://" + host + path) }
    }

    public weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    public var prefersEphemeralWebBrowserSession = false
    private let url: URL
    private let watched: String
    private let handler: CompletionHandler

    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {
        url = URL
        watched = (callbackURLScheme ?? "") + ":"
        handler = completionHandler
    }

    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        url = URL
        watched = callback.watched
        handler = completionHandler
    }

    /// Who shows something is on the main thread; the compiler does not see to it.
    @discardableResult open func start() -> Bool {
        nonisolated(unsafe) let session = self
        return MainActor.assumeIsolated {
            let shown = StandInSheet(
                url: session.url.absoluteString, watched: session.watched,
                isEphemeral: session.prefersEphemeralWebBrowserSession,
                window: session.presentationContextProvider?.presentationAnchor(for: session))
            return StandInBrowser.shared.show(shown, session.handler)
        }
    }

    open func cancel() {
        StandInBrowser.cancelCounter.increment()
    }
}

/// What the person sees.
public struct StandInSheet: Sendable {
    public let url: String
    public let watched: String
    public let isEphemeral: Bool
    public let window: ASPresentationAnchor?
}

/// A browser that does what it was told.
@MainActor public final class StandInBrowser {
    public enum Answer: Sendable {
        case callback(String)
        case failure(any Error)
        case nothing
    }

    public static let shared = StandInBrowser()
    public var sheets: [StandInSheet] = []
    nonisolated static let cancelCounter = Counter()
    public var cancels: Int { Self.cancelCounter.value }
    public var starts = true
    /// Given one after another, on a thread of the system's.
    public var answers: [Answer] = []
    public var onShow: (() -> Void)?

    public func reset() {
        (sheets, starts, answers, onShow) = ([], true, [], nil)
        Self.cancelCounter.reset()
    }

    func show(_ sheet: StandInSheet, _ handler: @escaping ASWebAuthenticationSession.CompletionHandler) -> Bool {
        sheets.append(sheet)
        onShow?()
        guard starts else { return false }
        let answers = answers
        nonisolated(unsafe) let handler = handler
        guard !answers.isEmpty else { return true }
        Thread.detachNewThread {
            for answer in answers {
                switch answer {
                case .callback(let url): handler(URL(string: url), nil)
                case .failure(let error): handler(nil, error)
                case .nothing: handler(nil, nil)
                }
            }
        }
        return true
    }
}
