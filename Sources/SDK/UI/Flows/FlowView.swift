#if canImport(WebKit) && canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import Keyturn
    public import UIKit
    internal import WebKit

    /// Shows a flow, anywhere in an app.
    ///
    /// ```swift
    /// let session = try await auth.flows.open(Flow("sign-in"))
    /// flowView.start(session)
    /// let response = try await session.result()
    /// ```
    public final class FlowView: UIView {
        private let host = FlowWebHost()

        /// A view without a flow yet.
        public override init(frame: CGRect) {
            super.init(frame: frame)
            host.webView.frame = bounds
            host.webView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            addSubview(host.webView)
        }

        @available(*, unavailable, message: "make it in code")
        public required init?(coder: NSCoder) { nil }

        /// What it shows; `nil`: nothing yet.
        public var session: FlowSession? { host.session }

        /// Shows a flow. The view holds it.
        public func start(_ session: FlowSession) { host.start(session) }
    }

    /// Shows a flow by itself: present it, or push it.
    public final class FlowViewController: UIViewController {
        /// Its view.
        public let flowView = FlowView(frame: .zero)

        public override func loadView() { view = flowView }

        /// Shows a flow.
        public func start(_ session: FlowSession) { flowView.start(session) }

        /// Ends the flow without a session. The controller stays where it is.
        public func cancel() { flowView.session?.cancel() }
    }
#endif
