@_exported import Foundation
@_exported import FoundationNetworking
import UIKit

// Names, signatures and isolation as in Apple's public documentation of WebKit (SDKs of Xcode 26).

public enum WKUserScriptInjectionTime: Int, Sendable {
    case atDocumentStart = 0
}

@MainActor public final class WKUserScript: NSObject {
    public let standInSource: String
    public let standInIsForMainFrameOnly: Bool

    public init(source: String, injectionTime: WKUserScriptInjectionTime, forMainFrameOnly: Bool) {
        standInSource = source
        standInIsForMainFrameOnly = forMainFrameOnly
    }
}

@MainActor public protocol WKScriptMessageHandler: NSObjectProtocol {
    func userContentController(
        _ userContentController: WKUserContentController, didReceive message: WKScriptMessage)
}

@MainActor public final class WKUserContentController: NSObject {
    public private(set) var standInScripts: [WKUserScript] = []
    /// Held, as the system holds them.
    public private(set) var standInHandlers: [String: any WKScriptMessageHandler] = [:]

    public func addUserScript(_ userScript: WKUserScript) { standInScripts.append(userScript) }

    public func add(_ scriptMessageHandler: any WKScriptMessageHandler, name: String) {
        precondition(standInHandlers[name] == nil, "the system throws an exception")
        standInHandlers[name] = scriptMessageHandler
    }
}

@MainActor public final class WKWebViewConfiguration: NSObject {
    public var userContentController = WKUserContentController()
}

@MainActor public final class WKSecurityOrigin: NSObject {
    public let `protocol`: String
    public let host: String
    /// 0 for the scheme's own.
    public let port: Int

    public init(standIn scheme: String, _ host: String, _ port: Int) {
        self.protocol = scheme
        self.host = host
        self.port = port
    }
}

@MainActor public final class WKFrameInfo: NSObject {
    public let isMainFrame: Bool
    public let securityOrigin: WKSecurityOrigin

    public init(standIn isMainFrame: Bool, _ origin: WKSecurityOrigin) {
        self.isMainFrame = isMainFrame
        securityOrigin = origin
    }
}

@MainActor public final class WKScriptMessage: NSObject {
    public let name: String
    public let body: Any
    public let frameInfo: WKFrameInfo

    public init(standIn name: String, _ body: Any, _ frame: WKFrameInfo) {
        self.name = name
        self.body = body
        frameInfo = frame
    }
}

public enum WKNavigationType: Int, Sendable {
    case linkActivated = 0
    case other = -1
}

public enum WKNavigationActionPolicy: Int, Sendable {
    case cancel = 0
    case allow = 1
}

public enum WKNavigationResponsePolicy: Int, Sendable {
    case cancel = 0
    case allow = 1
}

@MainActor public final class WKNavigation: NSObject {}

@MainActor public final class WKWindowFeatures: NSObject {}

@MainActor public final class WKNavigationAction: NSObject {
    public let request: URLRequest
    public let navigationType: WKNavigationType
    public let targetFrame: WKFrameInfo?

    public init(standIn request: URLRequest, _ type: WKNavigationType, _ frame: WKFrameInfo?) {
        self.request = request
        navigationType = type
        targetFrame = frame
    }
}

@MainActor public final class WKNavigationResponse: NSObject {
    public let response: URLResponse
    public let isForMainFrame: Bool

    public init(standIn response: URLResponse, isForMainFrame: Bool) {
        self.response = response
        self.isForMainFrame = isForMainFrame
    }
}

@MainActor public protocol WKNavigationDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
    ) async -> WKNavigationActionPolicy
    func webView(
        _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
    ) async -> WKNavigationResponsePolicy
    func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!)
    func webView(
        _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error)
    func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error)
}

@MainActor public protocol WKUIDelegate: NSObjectProtocol {
    func webView(
        _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
        for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
    ) -> WKWebView?
}

@MainActor public final class WKWebView: UIView {
    public let configuration: WKWebViewConfiguration
    public weak var navigationDelegate: (any WKNavigationDelegate)?
    public weak var uiDelegate: (any WKUIDelegate)?
    public private(set) var standInRequests: [URLRequest] = []
    public private(set) var standInScripts: [String] = []

    public init(frame: CGRect, configuration: WKWebViewConfiguration) {
        self.configuration = configuration
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) { nil }

    public func load(_ request: URLRequest) -> WKNavigation? {
        standInRequests.append(request)
        return WKNavigation()
    }

    public func evaluateJavaScript(
        _ javaScriptString: String, completionHandler: (@MainActor @Sendable (Any?, (any Error)?) -> Void)? = nil
    ) {
        standInScripts.append(javaScriptString)
    }
}
