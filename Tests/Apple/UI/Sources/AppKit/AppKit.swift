@_exported import Foundation

// Names, signatures and isolation as in Apple's public documentation of AppKit (SDKs of Xcode 26).

@MainActor public final class NSWindow: NSObject {}

@MainActor open class NSView: NSObject {
    public private(set) weak var window: NSWindow?

    public init(frame frameRect: NSRect) {}

    open func viewDidMoveToWindow() {}

    /// What the system does when a view comes into a window, or leaves it.
    public func standInMove(to window: NSWindow?) {
        self.window = window
        viewDidMoveToWindow()
    }
}
