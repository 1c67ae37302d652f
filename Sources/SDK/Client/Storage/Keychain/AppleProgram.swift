#if canImport(Security)
    internal import Foundation

    /// What kind of program this is, on Apple's systems.
    enum AppleProgram {
        /// Whether it is an app or an extension of one. On the Mac it may be a command-line tool, which has no windows, and
        /// as a rule no keychain: that needs a signature with an access group.
        static var isApp: Bool {
            #if os(macOS)
                isApp(bundlePath: Bundle.main.bundlePath)
            #else
                true
            #endif
        }

        /// The bundle of a tool is the folder that it lies in.
        static func isApp(bundlePath: String) -> Bool {
            [".app", ".appex", ".xpc"].contains { bundlePath.hasSuffix($0) }
        }
    }
#endif
