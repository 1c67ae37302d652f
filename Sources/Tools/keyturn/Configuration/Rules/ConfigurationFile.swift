internal import Foundation

/// Small files that the configuration names.
enum ConfigurationFile {
    /// The text of a file; `nil` if it cannot be read, is too large, or is no UTF-8.
    static func text(_ path: String) -> String? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        guard let bytes = try? handle.read(upToCount: ConfigurationLimits.fileBytesMax) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
