import AuthenticationServices
import Foundation

// Names, signatures and isolation as in Apple's public documentation of AppKit (SDKs of Xcode 26).

public typealias NSWindow = ASPresentationAnchor

@MainActor public final class NSApplication: NSObject {
    public static let shared = NSApplication()
    public var keyWindow: NSWindow?
    public var mainWindow: NSWindow?
    public var windows: [NSWindow] = []
}
