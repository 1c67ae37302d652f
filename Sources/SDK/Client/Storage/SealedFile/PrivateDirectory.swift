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
/// may read or write, is refused rather than repaired: it may have been read already.
final class PrivateDirectory: Sendable {
    private let descriptor: Int32

    /// What opening showed.
    enum Opening {
        case opened(PrivateDirectory)
        case absent
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Opens `root/name/name…`.
    ///
    /// `root` is the user's own business and may be a link; everything below is checked.
    ///
    /// - Parameter creating: Makes what is missing, `root` included, with mode 0700.
    static func open(root: String, _ names: [String], creating: Bool) throws(AuthError) -> Opening {
        if creating { try makeRoot(root) }
        let first = Platform.openDirectory(root, followLinks: true)
        guard first >= 0 else {
            if errno == ENOENT { return .absent }
            throw Platform.failure("the directory above the store cannot be opened")
        }
        var current = PrivateDirectory(descriptor: first)
        for (depth, name) in names.enumerated() {
            if creating, unsafe mkdirat(current.descriptor, name, 0o700) != 0, errno != EEXIST {
                throw Platform.failure("a directory of the store cannot be made")
            }
            let next = unsafe openat(current.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else {
                if errno == ENOENT { return .absent }
                throw Platform.failure("a directory of the store cannot be opened")
            }
            current = PrivateDirectory(descriptor: next)
            // Others may list the directory of all containers, where a server's configuration may lie as well.
            try current.check(next, isDirectory: true, forbidden: depth == names.count - 1 ? 0o077 : 0o022)
        }
        return .opened(current)
    }

    /// The whole of a file; `nil` if there is none.
    func read(_ name: String, maxBytes: Int) throws(AuthError) -> [UInt8]? {
        let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Platform.failure("a file of the store cannot be opened")
        }
        defer { close(file) }
        try check(file, isDirectory: false)
        return try Platform.readAll(file, maxBytes: maxBytes)
    }

    /// Replaces a file in one step that survives a crash: written aside, forced to disk, renamed, and the renaming
    /// forced to disk.
    ///
    /// - Parameter aside: A name that is not used now.
    func replace(_ name: String, aside: String, with bytes: [UInt8]) throws(AuthError) {
        try writeAside(aside, bytes)
        guard unsafe renameat(descriptor, aside, descriptor, name) == 0 else {
            let failure = Platform.failure("a file of the store cannot be replaced")
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
        guard isMade || reason == EEXIST else { throw Platform.failure("a file of the store cannot be made", reason) }
        try synchronize()
        return isMade
    }

    /// Removes a file, durably. Removing nothing is no error.
    func remove(_ name: String) throws(AuthError) {
        guard unsafe unlinkat(descriptor, name, 0) == 0 else {
            if errno == ENOENT { return }
            throw Platform.failure("a file of the store cannot be removed")
        }
        try synchronize()
    }

    /// Opens a file for locking, making it if need be.
    func openLock(_ name: String) throws(AuthError) -> Int32 {
        let file = unsafe openat(descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard file >= 0 else { throw Platform.failure("the lock file cannot be opened") }
        do throws(AuthError) {
            try check(file, isDirectory: false)
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
        guard copy >= 0 else { throw Platform.failure("the directory of the store cannot be opened") }
        guard let stream = unsafe fdopendir(copy) else {
            let failure = Platform.failure("the directory of the store cannot be listed")
            close(copy)
            throw failure
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw Platform.failure("the directory of the store cannot be listed") }
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
        guard file >= 0 else { throw Platform.failure("a file of the store cannot be made") }
        defer { close(file) }
        do throws(AuthError) {
            try Platform.writeAll(file, bytes)
            guard fsync(file) == 0 else { throw Platform.failure("a file of the store cannot be forced to disk") }
        } catch {
            unsafe unlinkat(descriptor, name, 0)
            throw error
        }
    }

    private func synchronize() throws(AuthError) {
        guard fsync(descriptor) == 0 else { throw Platform.failure("the store cannot be forced to disk") }
    }

    private func check(_ file: Int32, isDirectory: Bool, forbidden: mode_t = 0o077) throws(AuthError) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw Platform.failure("the store cannot be inspected") }
        guard status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
            throw AuthError(.storeUnavailable, "something of another kind stands where the store should be")
        }
        guard status.st_uid == geteuid() else {
            throw AuthError(.storeUnavailable, "the store belongs to another user")
        }
        guard status.st_mode & forbidden == 0 else {
            let expected = isDirectory ? "0700" : "0600"
            throw AuthError(.storeUnavailable, "others may read or write the store: expected mode \(expected)")
        }
    }

    private static func makeRoot(_ root: String) throws(AuthError) {
        var path = ""
        for part in root.split(separator: "/") {
            path += "/" + part
            guard
                unsafe mkdir(path, 0o700) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS
                    || errno == EACCES
            else { throw Platform.failure("the directory above the store cannot be made") }
        }
    }
}
