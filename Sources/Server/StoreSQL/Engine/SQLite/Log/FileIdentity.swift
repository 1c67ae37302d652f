#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Tells a file from another one that took its name.
struct FileIdentity: Equatable {
    private let number: UInt64
    private let device: UInt64

    /// - Returns: `nil` if there is none.
    init?(_ path: String) {
        var found = stat()
        guard unsafe stat(path, &found) == 0 else { return nil }
        (number, device) = (UInt64(found.st_ino), UInt64(found.st_dev))
    }
}
