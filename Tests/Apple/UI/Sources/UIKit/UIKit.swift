@_exported import Foundation

// Names, signatures and isolation as in Apple's public documentation of UIKit (SDKs of Xcode 26).

@MainActor public final class UIWindow: NSObject {}

@MainActor open class UIView: NSObject {
    public var isUserInteractionEnabled = true
    public private(set) weak var window: UIWindow?

    public init(frame: CGRect) {}

    open func didMoveToWindow() {}

    /// What the system does when a view comes into a window, or leaves it.
    public func standInMove(to window: UIWindow?) {
        self.window = window
        didMoveToWindow()
    }
}

@MainActor open class UIViewController: NSObject {
    public var viewIfLoaded: UIView?

    public init(standIn view: UIView?) {
        viewIfLoaded = view
    }
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
