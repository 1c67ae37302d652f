#if canImport(SwiftUI)
    internal import Keyturn
    public import SwiftUI

    /// Shows one view to a signed-in user and another one otherwise, and nothing until it is known who is there: so no
    /// sign-in page flashes up when the app starts.
    ///
    /// ```swift
    /// SignedInView { Home() } otherwise: { SignInPage() }
    /// ```
    ///
    /// Needs ``SwiftUICore/View/keyturn(_:magicLinkURL:onOtherURL:)`` above it. What the first view keeps is gone when
    /// another user signs in. The second one is also shown for ``KeyturnModel/State/interactionRequired(_:)``,
    /// ``KeyturnModel/State/locked`` and ``KeyturnModel/State/unavailable(_:)``: let it read the model's state.
    public struct SignedInView<Content: View, Otherwise: View>: View {
        @Environment(KeyturnModel.self) private var model
        private let content: () -> Content
        private let otherwise: () -> Otherwise

        /// A gate of these two views.
        public init(
            @ViewBuilder _ content: @escaping () -> Content, @ViewBuilder otherwise: @escaping () -> Otherwise
        ) {
            self.content = content
            self.otherwise = otherwise
        }

        public var body: some View {
            switch model.state {
            case .loading: EmptyView()
            case .signedIn(let user): content().id(user.subject)
            case .signedOut, .interactionRequired, .locked, .unavailable: otherwise()
            }
        }
    }
#endif
