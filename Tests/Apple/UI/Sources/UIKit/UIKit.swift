@_exported import Foundation

// Names, signatures and isolation as in Apple's public documentation of UIKit (SDKs of Xcode 26).

@MainActor public final class UIWindow: NSObject {}

@MainActor open class UIView: NSObject {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let flexibleWidth = Self(rawValue: 2)
        public static let flexibleHeight = Self(rawValue: 16)
    }

    public var isUserInteractionEnabled = true
    public var frame: CGRect
    public var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    public var autoresizingMask: AutoresizingMask = []
    public private(set) weak var window: UIWindow?
    public private(set) var standInSubviews: [UIView] = []

    public init(frame: CGRect) {
        self.frame = frame
    }

    public required init?(coder: NSCoder) { nil }

    open func didMoveToWindow() {}

    public func addSubview(_ view: UIView) { standInSubviews.append(view) }

    /// What the system does when a view comes into a window, or leaves it.
    public func standInMove(to window: UIWindow?) {
        self.window = window
        didMoveToWindow()
    }
}

@MainActor open class UIViewController: NSObject {
    public private(set) var viewIfLoaded: UIView?

    public init(standIn view: UIView? = nil) {
        viewIfLoaded = view
    }

    /// Loads itself when it is first asked for.
    public var view: UIView! {
        get {
            if viewIfLoaded == nil { loadView() }
            return viewIfLoaded
        }
        set { viewIfLoaded = newValue }
    }

    open func loadView() { viewIfLoaded = UIView(frame: .zero) }
}

@MainActor public final class UIOpenURLContext: NSObject {
    public let url: URL

    public init(standIn url: URL) {
        self.url = url
    }
}

public struct UITextContentType: RawRepresentable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let username = Self(rawValue: "username")
}

/// Of Foundation, on Apple's systems.
public final class NSUserActivity: NSObject {
    public let activityType: String
    public var webpageURL: URL?

    public init(activityType: String) {
        self.activityType = activityType
    }
}

public let NSUserActivityTypeBrowsingWeb: String = "NSUserActivityTypeBrowsingWeb"
