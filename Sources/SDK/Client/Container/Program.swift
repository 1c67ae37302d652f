internal import Foundation

extension ContainerName {
    /// The running program: its bundle identifier on Apple's systems, else the name of its executable file.
    static let program: String = {
        #if canImport(Darwin)
            if let identifier = Bundle.main.bundleIdentifier, !identifier.isEmpty { return identifier }
        #endif
        #if os(Linux)
            // The file itself: a caller may write anything into the first argument.
            if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
                return program(atPath: path)
            }
        #endif
        return program(atPath: ProcessInfo.processInfo.arguments.first ?? "")
    }()
}
