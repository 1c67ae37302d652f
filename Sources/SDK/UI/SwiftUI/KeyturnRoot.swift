#if canImport(SwiftUI)
    public import Foundation
    public import Keyturn
    public import SwiftUI

    extension View {
        /// Gives the views below a container's session: put it on the root view of each scene.
        ///
        /// ```swift
        /// WindowGroup { RootView().keyturn(auth) }
        /// ```
        ///
        /// The views below read `@Environment(KeyturnModel.self)`. The stored session is loaded when the view appears, and
        /// looked at again whenever the scene becomes active. Addresses that the scene is opened with go to
        /// ``KeyturnModel/open(_:magicLinkURL:)``. ``SignInButton`` and ``SwiftUICore/View/keyturnPasskeys(onToken:)`` show
        /// the system's sheets over the window of this scene.
        ///
        /// - Parameters:
        ///   - auth: Whose session. With another container everything below begins anew.
        ///   - magicLinkURL: Where this app's magic links lead; `nil`: to no place in the app.
        ///   - onOtherURL: Gets the addresses that are not the container's.
        public func keyturn(
            _ auth: Keyturn, magicLinkURL: String? = nil, onOtherURL: @escaping @MainActor (URL) -> Void = { _ in }
        ) -> some View {
            KeyturnRoot(auth: auth, magicLinkURL: magicLinkURL, onOtherURL: onOtherURL, content: self)
                .id(ObjectIdentifier(auth))
        }
    }

    struct KeyturnRoot<Content: View>: View {
        @State private var model: KeyturnModel
        @State private var scene = SceneWindow()
        @Environment(\.scenePhase) private var scenePhase
        private let magicLinkURL: String?
        private let onOtherURL: @MainActor (URL) -> Void
        private let content: Content

        init(auth: Keyturn, magicLinkURL: String?, onOtherURL: @escaping @MainActor (URL) -> Void, content: Content) {
            // A model that is thrown away again has read nothing.
            _model = State(initialValue: KeyturnModel(auth))
            self.magicLinkURL = magicLinkURL
            self.onOtherURL = onOtherURL
            self.content = content
        }

        var body: some View {
            content
                .background { windowReader }
                .environment(model)
                .environment(\.sceneWindow, scene)
                .task { await model.start() }
                .onOpenURL { url in open(url) }
                .onChange(of: scenePhase) { _, phase in
                    if phase == .active { look() }
                }
        }

        @ViewBuilder private var windowReader: some View {
            #if canImport(UIKit) && !os(watchOS)
                SceneWindowReader(scene: scene)
            #elseif canImport(AppKit)
                MacWindowReader(scene: scene)
            #endif
        }

        private func look() {
            Task { await model.start() }
        }

        private func open(_ url: URL) {
            Task {
                if await !model.open(url.absoluteString, magicLinkURL: magicLinkURL) { onOtherURL(url) }
            }
        }
    }

    private struct SceneWindowKey: EnvironmentKey {
        static let defaultValue: SceneWindow? = nil
    }

    extension EnvironmentValues {
        /// The window that sheets are shown over; `nil` without ``SwiftUICore/View/keyturn(_:magicLinkURL:onOtherURL:)``.
        var sceneWindow: SceneWindow? {
            get { self[SceneWindowKey.self] }
            set { self[SceneWindowKey.self] = newValue }
        }
    }
#endif
