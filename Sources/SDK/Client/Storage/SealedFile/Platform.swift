internal import KeyturnBase

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The few system calls that need more than one line.
enum Platform {
    /// The last system call's failure, as this library's error.
    static func failure(_ detail: String, _ reason: Int32 = errno) -> AuthError {
        AuthError(.storeUnavailable, "\(detail): \(words(for: reason))errno \(reason)")
    }

    /// What a user can do something about, in words.
    private static func words(for reason: Int32) -> String {
        switch reason {
        case EACCES, EPERM: "permission denied, "
        case EROFS: "the file system is read-only, "
        case ENOSPC: "the disk is full, "
        case EDQUOT: "the user's quota is used up, "
        case ENOENT: "there is no such file or directory, "
        case ENOTDIR: "something else than a directory stands there, "
        case ELOOP: "a link stands there, "
        case EMFILE, ENFILE: "too many files are open, "
        default: ""
        }
    }

    static func openDirectory(_ path: String, followLinks: Bool) -> Int32 {
        unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followLinks ? 0 : O_NOFOLLOW))
    }

    static func readAll(_ file: Int32, maxBytes: Int) throws(AuthError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("a file of the store cannot be read")
            }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= maxBytes else {
                throw .lost("a file of the store is damaged: too large to be one")
            }
        }
    }

    static func writeAll(_ file: Int32, _ bytes: [UInt8]) throws(AuthError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("a file of the store cannot be written")
            }
            rest = rest.dropFirst(count)
        }
    }

    static func written(_ status: stat) -> timespec {
        #if canImport(Darwin)
            status.st_mtimespec
        #else
            status.st_mtim
        #endif
    }

    static func mark(_ status: stat) -> ChangeMark {
        let time = written(status)
        return ChangeMark([
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(time.tv_sec), Int64(time.tv_nsec), Int64(status.st_size),
        ])
    }
}
