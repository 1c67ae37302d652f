#if os(macOS)
    internal import AppKit
#endif
internal import Foundation

/// What this platform tells an app. The names are those of Apple's constants, spelled out.
enum PlatformNotices {
    static func make() -> any AppNotices {
        #if os(macOS)
            // Another window in front is not leaving; hiding is.
            NamedNotices(sources: [
                .init(
                    center: .default,
                    meanings: [
                        "NSApplicationDidHideNotification": .away(.background),
                        "NSApplicationDidBecomeActiveNotification": .back(.background),
                    ]),
                .init(
                    center: NSWorkspace.shared.notificationCenter,
                    meanings: [
                        "NSWorkspaceWillSleepNotification": .away(.sleep),
                        "NSWorkspaceDidWakeNotification": .back(.sleep),
                    ]),
            ])
        #elseif os(watchOS)
            NamedNotices(sources: [
                .init(
                    center: .default,
                    meanings: [
                        "WKApplicationDidEnterBackgroundNotification": .away(.background),
                        "WKApplicationDidBecomeActiveNotification": .back(.background),
                    ])
            ])
        #elseif canImport(Darwin)
            // A sheet of the system, Face ID's too, makes an app inactive: that is not leaving either.
            NamedNotices(sources: [
                .init(
                    center: .default,
                    meanings: [
                        "UIApplicationDidEnterBackgroundNotification": .away(.background),
                        "UIApplicationDidBecomeActiveNotification": .back(.background),
                        "UIApplicationProtectedDataDidBecomeAvailable": .protectedDataAvailable,
                        "NSExtensionHostDidEnterBackgroundNotification": .away(.background),
                        "NSExtensionHostDidBecomeActiveNotification": .back(.background),
                    ])
            ])
        #else
            NoNotices()
        #endif
    }
}
