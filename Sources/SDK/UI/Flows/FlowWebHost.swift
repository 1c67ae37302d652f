#if canImport(WebKit) && canImport(UIKit) && !os(watchOS) && !os(tvOS)
    internal import Foundation
    internal import Keyturn
    internal import KeyturnBase
    internal import WebKit

    /// The web view of a flow: reports to the flow, and does what it says. It decides nothing.
    @MainActor final class FlowWebHost: NSObject, FlowPage {
        let webView: WKWebView
        private(set) var session: FlowSession?
        private let receiver = FlowMessageReceiver()

        override init() {
            let content = WKUserContentController()
            content.addUserScript(
                WKUserScript(
                    source: FlowSession.documentStartScript, injectionTime: .atDocumentStart, forMainFrameOnly: true))
            for name in FlowMessage.names { content.add(receiver, name: name) }
            let configuration = WKWebViewConfiguration()
            configuration.userContentController = content
            webView = WKWebView(frame: .zero, configuration: configuration)
            super.init()
            receiver.host = self
            // The view holds both weakly.
            webView.navigationDelegate = self
            webView.uiDelegate = self
        }

        func start(_ session: FlowSession) {
            self.session = session
            session.start(in: self)
        }

        func load(_ url: String) {
            guard let address = URL(string: url) else { return }
            _ = webView.load(URLRequest(url: address))
        }

        func evaluate(_ script: String) {
            webView.evaluateJavaScript(script, completionHandler: nil)
        }

        func receive(_ message: WKScriptMessage) {
            let frame = message.frameInfo
            let origin = frame.securityOrigin
            session?.receive(
                FlowMessage(
                    name: message.name, body: Self.json(message.body),
                    frame: FlowFrame(
                        scheme: origin.protocol, host: origin.host, port: origin.port, isMain: frame.isMainFrame)))
        }

        /// What a script posted, as JSON; `null` for what is none.
        private static func json(_ body: Any) -> JSONValue {
            guard JSONSerialization.isValidJSONObject([body]),
                let data = try? JSONSerialization.data(withJSONObject: [body]),
                let list = try? JSONValue(parsing: Array(data))
            else { return .null }
            return list.arrayValue?.first ?? .null
        }
    }

    /// Stands between the web view and its host: the view keeps whom it sends messages to.
    @MainActor final class FlowMessageReceiver: NSObject, WKScriptMessageHandler {
        weak var host: FlowWebHost?

        func userContentController(
            _ userContentController: WKUserContentController, didReceive message: WKScriptMessage
        ) {
            host?.receive(message)
        }
    }

    extension FlowWebHost: WKNavigationDelegate {
        func webView(
            _ webView: WKWebView, decidePolicyFor navigationAction: WKNavigationAction
        ) async -> WKNavigationActionPolicy {
            // Another window is asked for by itself, and frames are the page's own affair.
            guard let url = navigationAction.request.url, navigationAction.targetFrame?.isMainFrame == true,
                let session
            else { return .allow }
            let isLink = navigationAction.navigationType == .linkActivated
            return session.mayNavigate(to: url.absoluteString, isLink: isLink) ? .allow : .cancel
        }

        func webView(
            _ webView: WKWebView, decidePolicyFor navigationResponse: WKNavigationResponse
        ) async -> WKNavigationResponsePolicy {
            guard navigationResponse.isForMainFrame,
                let answer = navigationResponse.response as? HTTPURLResponse, answer.statusCode >= 400
            else { return .allow }
            session?.didFailToLoad(.status(answer.statusCode))
            return .cancel
        }

        func webView(_ webView: WKWebView, didFinish navigation: WKNavigation!) {
            session?.didLoad()
        }

        func webView(
            _ webView: WKWebView, didFailProvisionalNavigation navigation: WKNavigation!, withError error: any Error
        ) {
            session?.didFailToLoad(Self.failure(error))
        }

        func webView(_ webView: WKWebView, didFail navigation: WKNavigation!, withError error: any Error) {
            session?.didFailToLoad(Self.failure(error))
        }

        /// A load that another one replaced, or that was cancelled above (102), is no failure.
        static func failure(_ error: any Error) -> FlowLoadFailure {
            let error = error as NSError
            let isReplaced =
                error.domain == NSURLErrorDomain && error.code == -999
                || error.domain == "WebKitErrorDomain" && error.code == 102
            return isReplaced ? .superseded : .transport
        }
    }

    extension FlowWebHost: WKUIDelegate {
        func webView(
            _ webView: WKWebView, createWebViewWith configuration: WKWebViewConfiguration,
            for navigationAction: WKNavigationAction, windowFeatures: WKWindowFeatures
        ) -> WKWebView? {
            if let url = navigationAction.request.url { session?.didAskForWindow(url.absoluteString) }
            return nil
        }
    }
#endif
