#if canImport(SwiftUI) && canImport(WebKit) && canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import Keyturn
    public import SwiftUI

    /// Shows a flow in SwiftUI. Another flow needs another identity (`.id(…)`).
    ///
    /// ```swift
    /// if let session { FlowScreen(session) }
    /// ```
    public struct FlowScreen: UIViewRepresentable {
        private let session: FlowSession

        /// - Parameter session: What `auth.flows.open(_:)` prepared.
        public init(_ session: FlowSession) {
            self.session = session
        }

        public func makeUIView(context: Context) -> FlowView {
            let view = FlowView(frame: .zero)
            view.start(session)
            return view
        }

        public func updateUIView(_ uiView: FlowView, context: Context) {}
    }
#endif
