#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
    internal import SwiftUI
    internal import UIKit

    /// A view without extent that notes the window it is in.
    struct SceneWindowReader: UIViewRepresentable {
        let scene: SceneWindow

        func makeUIView(context: Context) -> NotingView {
            let view = NotingView(frame: .zero)
            view.isUserInteractionEnabled = false
            view.scene = scene
            return view
        }

        func updateUIView(_ uiView: NotingView, context: Context) {}

        final class NotingView: UIView {
            var scene: SceneWindow?

            override func didMoveToWindow() {
                scene?.window = window
            }
        }
    }
#endif

#if canImport(SwiftUI) && canImport(AppKit) && !targetEnvironment(macCatalyst)
    internal import AppKit
    internal import SwiftUI

    /// The same on the Mac.
    struct MacWindowReader: NSViewRepresentable {
        let scene: SceneWindow

        func makeNSView(context: Context) -> NotingView {
            let view = NotingView(frame: .zero)
            view.scene = scene
            return view
        }

        func updateNSView(_ nsView: NotingView, context: Context) {}

        final class NotingView: NSView {
            var scene: SceneWindow?

            override func viewDidMoveToWindow() {
                scene?.window = window
            }
        }
    }
#endif
