internal import Foundation

/// Small files that the configuration names.
enum ConfigurationFile {
    /// The text of a file; `nil` if it cannot be read, is too large, or is no UTF-8.
    static func text(_ path: String) -> String? {
        bytes(path, max: ConfigurationLimits.fileBytesMax).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// At most so many bytes of a file; `nil` if it cannot be read.
    static func bytes(_ path: String, max: Int) -> [UInt8]? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        // An empty file has no next bytes: that is not an error.
        return try? Array(handle.read(upToCount: max) ?? Data())
    }
}
