import Foundation
import Keyturn
import KeyturnUI
import UIKit
import WebKit

// Apart from the tests: a file that imports Testing and one of these frameworks would want more than the stand-ins have.

/// A flow in a view controller, and the web view in it.
@MainActor struct FlowOnScreen {
    private let controller = FlowViewController()
    private let web: WKWebView

    init(_ session: FlowSession) {
        controller.start(session)
        guard let web = controller.view.standInSubviews.first as? WKWebView else {
            preconditionFailure("the view holds a web view")
        }
        self.web = web
    }

    var addresses: [String] { web.standInRequests.compactMap(\.url?.absoluteString) }
    var evaluated: [String] { web.standInScripts }
    var handlers: [String] { web.configuration.userContentController.standInHandlers.keys.sorted() }
    var scripts: [(source: String, isForMainFrameOnly: Bool)] {
        web.configuration.userContentController.standInScripts.map { ($0.standInSource, $0.standInIsForMainFrameOnly) }
    }

    /// A script of a frame posts a message.
    func say(_ name: String, _ body: Any, origin: (String, String, Int), isMain: Bool = true) {
        let frame = WKFrameInfo(standIn: isMain, WKSecurityOrigin(standIn: origin.0, origin.1, origin.2))
        let content = web.configuration.userContentController
        content.standInHandlers[name]?.userContentController(
            content, didReceive: WKScriptMessage(standIn: name, body, frame))
    }

    /// Whether the view goes to an address.
    func goes(to url: String, byLink: Bool) async -> Bool {
        guard let address = URL(string: url) else { return false }
        let frame = WKFrameInfo(standIn: true, WKSecurityOrigin(standIn: "https", "api.example.com", 0))
        let action = WKNavigationAction(
            standIn: URLRequest(url: address), byLink ? .linkActivated : .other, frame)
        return await web.navigationDelegate?.webView(web, decidePolicyFor: action) == .allow
    }

    /// Whether the view shows an answer with this status.
    func takes(status: Int) async -> Bool {
        guard let address = URL(string: "https://api.example.com/"),
            let answer = HTTPURLResponse(url: address, statusCode: status, httpVersion: nil, headerFields: nil)
        else { return true }
        let response = WKNavigationResponse(standIn: answer, isForMainFrame: true)
        return await web.navigationDelegate?.webView(web, decidePolicyFor: response) == .allow
    }

    func loads() { web.navigationDelegate?.webView(web, didFinish: WKNavigation()) }

    func fails(domain: String, code: Int) {
        web.navigationDelegate?.webView(
            web, didFailProvisionalNavigation: WKNavigation(), withError: NSError(domain: domain, code: code))
    }
}
