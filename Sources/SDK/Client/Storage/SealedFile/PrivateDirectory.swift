internal import KeyturnBase

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A directory that belongs to this user alone, held open so that it cannot be exchanged underneath.
///
/// Everything in it is opened relative to it and never through a link. What belongs to another user, or what others
/// may read or write, is refused rather than repaired: it may have been read already. Only a caller who replaces all
/// that is in it may ``narrow()`` it.
final class PrivateDirectory: Sendable {
    private let descriptor: Int32
    private let path: String
    /// What it is narrowed to, if others may use it; `nil`: they may not.
    private let narrowed: mode_t?
    /// The directory above, if others may use that.
    private let exposedParent: PrivateDirectory?

    /// What opening showed.
    enum Opening {
        case opened(PrivateDirectory)
        case absent
    }

    /// What becomes of a directory that others may use.
    enum Exposure {
        case refused
        /// It is opened all the same, by a caller who believes nothing that is in it.
        case tolerated
    }

    private init(
        descriptor: Int32, path: String, narrowed: mode_t? = nil, exposedParent: PrivateDirectory? = nil
    ) {
        self.descriptor = descriptor
        self.path = path
        self.narrowed = narrowed
        self.exposedParent = exposedParent
    }

    deinit {
        close(descriptor)
    }

    /// Whether others may use it, or the one above it.
    var isExposed: Bool { narrowed != nil || exposedParent != nil }

    /// Opens `root/name/name…`.
    ///
    /// `root` is the user's own business and may be a link; everything below is checked.
    ///
    /// - Parameters:
    ///   - root: An absolute path.
    ///   - names: The directories below it, one in the other.
    ///   - creating: Makes what is missing, `root` included, with mode 0700.
    ///   - exposure: What becomes of a directory that others may use.
    static func open(
        root: String, _ names: [String], creating: Bool, exposure: Exposure = .refused
    ) throws(AuthError) -> Opening {
        let refusal = try creating ? makeRoot(root) : nil
        let first = Platform.openDirectory(root, followLinks: true)
        guard first >= 0 else {
            let reason = errno
            guard reason == ENOENT else { throw Platform.failure("the directory \(root) cannot be opened", reason) }
            if let refusal { throw refusal }
            return .absent
        }
        var current = PrivateDirectory(descriptor: first, path: root)
        for (depth, name) in names.enumerated() {
            if creating { try current.makeDirectory(name) }
            // Others may list the directory of all containers, where a server's configuration may lie as well.
            let forbidden: mode_t = depth == names.count - 1 ? 0o077 : 0o022
            guard let next = try current.openDirectory(name, forbidden: forbidden, exposure) else { return .absent }
            current = next
        }
        return .opened(current)
    }

    /// Makes sure that no other user may use it any more, or what is above it.
    func narrow() throws(AuthError) {
        try exposedParent?.narrow()
        guard let narrowed, fchmod(descriptor, narrowed) != 0 else { return }
        throw Platform.failure("the mode of the directory \(path) cannot be changed")
    }

    /// The whole of a file; `nil` if there is none.
    func read(_ name: String, maxBytes: Int) throws(AuthError) -> [UInt8]? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let reason = errno
            if reason == ENOENT { return nil }
            throw Platform.failure("the file \(path)/\(name) cannot be opened", reason)
        }
        defer { close(file) }
        let mode = try Self.mode(of: file, "\(path)/\(name)", isDirectory: false)
        guard mode & 0o077 == 0 else { throw Self.exposed("\(path)/\(name)", expected: "600") }
        return try Platform.readAll(file, maxBytes: maxBytes)
    }

    /// Replaces a file in one step that survives a crash: written aside, forced to disk, renamed, and the renaming
    /// forced to disk.
    ///
    /// - Parameter aside: A name that is not used now.
    func replace(_ name: String, aside: String, with bytes: [UInt8]) throws(AuthError) {
        try writeAside(aside, bytes)
        guard unsafe renameat(descriptor, aside, descriptor, name) == 0 else {
            let failure = Platform.failure("the file \(path)/\(name) cannot be replaced", errno)
            unsafe unlinkat(descriptor, aside, 0)
            throw failure
        }
        try synchronize()
    }

    /// Makes a file unless it exists.
    ///
    /// - Returns: whether it was made.
    func create(_ name: String, aside: String, with bytes: [UInt8]) throws(AuthError) -> Bool {
        try writeAside(aside, bytes)
        let isMade = unsafe linkat(descriptor, aside, descriptor, name, 0) == 0
        let reason = errno
        unsafe unlinkat(descriptor, aside, 0)
        guard isMade || reason == EEXIST else {
            throw Platform.failure("the file \(path)/\(name) cannot be made", reason)
        }
        try synchronize()
        return isMade
    }

    /// Removes a file, durably. Removing nothing is no error.
    func remove(_ name: String) throws(AuthError) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 else {
            let reason = errno
            if reason == ENOENT { return }
            throw Platform.failure("the file \(path)/\(name) cannot be removed", reason)
        }
        try synchronize()
    }

    /// Opens a file for locking, making it if need be. Who else may use it does not matter: nothing is in it.
    func openLock(_ name: String) throws(AuthError) -> Int32 {
        let file = unsafe openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw Platform.failure("the lock file \(path)/\(name) cannot be opened", errno) }
        do throws(AuthError) {
            _ = try Self.mode(of: file, "\(path)/\(name)", isDirectory: false)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// Which file stands under `name`, and since when; `nil` if none does.
    func mark(_ name: String) -> ChangeMark? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Platform.mark(status)
    }

    /// The names in the directory.
    ///
    /// - Throws: `store.unavailable` if it cannot be listed, for want of descriptors for instance: then it is unknown
    ///   what it holds, which is not nothing.
    func names() throws(AuthError) -> [String] {
        let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw Platform.failure("the directory \(path) cannot be opened", errno) }
        guard let stream = unsafe fdopendir(copy) else {
            let failure = Platform.failure("the directory \(path) cannot be listed", errno)
            close(copy)
            throw failure
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let reason = errno
                guard reason == 0 else { throw Platform.failure("the directory \(path) cannot be listed", reason) }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// How long ago a file was last written, by the wall clock; `nil` if there is none.
    func ageSeconds(_ name: String) -> Int64? {
        var status = stat()
        guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec - Platform.written(status).tv_sec)
    }

    private func writeAside(_ name: String, _ bytes: [UInt8]) throws(AuthError) {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Platform.failure("no file can be made in \(path)", errno) }
        defer { close(file) }
        do throws(AuthError) {
            try Platform.writeAll(file, bytes)
            guard fsync(file) == 0 else { throw Platform.failure("a file in \(path) cannot be forced to disk", errno) }
        } catch {
            unsafe unlinkat(descriptor, name, 0)
            throw error
        }
    }

    private func synchronize() throws(AuthError) {
        guard fsync(descriptor) == 0 else { throw Platform.failure("\(path) cannot be forced to disk", errno) }
    }
}

/// Opening, and what is refused.
extension PrivateDirectory {
    private func makeDirectory(_ name: String) throws(AuthError) {
        guard unsafe mkdirat(descriptor, name, 0o700) != 0 else { return }
        let reason = errno
        guard reason == EEXIST else { throw Platform.failure("the directory \(path)/\(name) cannot be made", reason) }
    }

    /// - Returns: `nil` if there is none.
    private func openDirectory(
        _ name: String, forbidden: mode_t, _ exposure: Exposure
    ) throws(AuthError) -> PrivateDirectory? {
        let path = "\(path)/\(name)"
        let next = unsafe openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard next >= 0 else {
            let reason = errno
            if reason == ENOENT { return nil }
            throw Platform.failure("the directory \(path) cannot be opened", reason)
        }
        let mode: mode_t
        do throws(AuthError) {
            mode = try Self.mode(of: next, path, isDirectory: true)
            guard mode & forbidden == 0 || exposure == .tolerated else {
                throw Self.exposed(path, expected: forbidden == 0o077 ? "700" : "go-w")
            }
        } catch {
            close(next)
            throw error
        }
        return PrivateDirectory(
            descriptor: next, path: path, narrowed: mode & forbidden == 0 ? nil : mode & 0o777 & ~forbidden,
            exposedParent: isExposed ? self : nil)
    }

    /// Who may use what was opened.
    ///
    /// - Throws: `store.unavailable` if it is of another kind, or another user's.
    private static func mode(of file: Int32, _ path: String, isDirectory: Bool) throws(AuthError) -> mode_t {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw Platform.failure("\(path) cannot be inspected", errno) }
        guard status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
            throw AuthError(.storeUnavailable, "something of another kind stands at \(path): move it away")
        }
        guard status.st_uid == geteuid() else {
            throw AuthError(.storeUnavailable, "\(path) belongs to another user: run the program as that user")
        }
        return status.st_mode
    }

    private static func exposed(_ path: String, expected: String) -> AuthError {
        AuthError(
            .storeUnavailable,
            "others may read or write \(path): run chmod \(expected) on it if no other person has used this machine, "
                + "or else sign in again",
            cause: UnusableRecord())
    }

    /// Makes a directory and those above it, as far as they are missing.
    ///
    /// - Returns: Why one of them could not be made, if one was refused: it may be there all the same.
    private static func makeRoot(_ root: String) throws(AuthError) -> AuthError? {
        var path = ""
        var refusal: AuthError?
        for part in root.split(separator: "/") {
            path += "/" + part
            guard unsafe mkdir(path, 0o700) != 0 else { continue }
            let reason = errno
            switch reason {
            case EEXIST, EISDIR: break
            // Also said of one that is there.
            case EROFS, EACCES:
                refusal = refusal ?? Platform.failure("the directory \(path) cannot be made", reason)
            default: throw refusal ?? Platform.failure("the directory \(path) cannot be made", reason)
            }
        }
        return refusal
    }
}
