import AuthenticationServices
import Foundation

// Names, signatures and isolation as in Apple's public documentation of UIKit (SDKs of Xcode 26).

public typealias UIWindow = ASPresentationAnchor

public struct Selector: Hashable, Sendable {
    let name: String
}

public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(name: aSelectorName) }

@MainActor open class UIScene: NSObject {
    public enum ActivationState: Int, Sendable {
        case foregroundActive = 0
        case foregroundInactive = 1
        case background = 2
        case unattached = -1
    }

    public var activationState: ActivationState

    public init(standIn activationState: ActivationState) {
        self.activationState = activationState
    }
}

public final class UIWindowScene: UIScene {
    public var keyWindow: UIWindow?
    public var windows: [UIWindow] = []
}

/// The application object. Its property `shared` is missing on purpose: code for extensions may not name it.
@MainActor public final class UIApplication: NSObject {
    public static var standIn: UIApplication?
    public var connectedScenes: Set<UIScene> = []

    nonisolated public static func responds(to aSelector: Selector!) -> Bool { aSelector.name == "sharedApplication" }

    public static func perform(_ aSelector: Selector!) -> Unmanaged<AnyObject>! {
        standIn.map { Unmanaged.passUnretained($0) }
    }

    public init(standIn scenes: [UIScene]) {
        connectedScenes = Set(scenes)
    }
}
