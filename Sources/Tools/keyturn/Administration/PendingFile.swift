internal import Foundation
internal import KeyturnBase

/// A file that gets its name when it is whole and on the disk. It is made for its owner alone (mode 0600), beside its
/// place under a name that ends with `.partial`: a program that is killed leaves no more than that.
final class PendingFile {
    let path: String
    let finalPath: String
    private let descriptor: Int32
    private var isPlaced = false

    /// - Throws: ``CommandFailure`` if it cannot be made.
    init(for finalPath: String, ambient: Ambient) throws {
        self.finalPath = finalPath
        path = "\(finalPath).\(ambient.randomToken(byteCount: 6)).partial"
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileFailure.failed(path, "cannot be made") }
    }

    deinit {
        close(descriptor)
        if !isPlaced { unsafe unlink(path) }
    }

    func write(_ bytes: [UInt8]) throws {
        try FileFailure.writing(bytes, to: descriptor, path)
    }

    /// Returns when everything is on the disk. What is read afterwards comes from there.
    func sync() throws {
        guard fsync(descriptor) == 0 else { throw FileFailure.failed(path, "cannot be written to the disk") }
        #if os(Linux)
            posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
        #endif
    }

    /// Gives it its name.
    ///
    /// - Parameter replacing: whether it takes the place of a file; otherwise there must be none.
    func place(replacing: Bool = false) throws {
        try sync()
        try FilePlacing.place(path, at: finalPath, replacing: replacing)
        isPlaced = true
    }
}

/// Names of files that are changed in one step, and are on the disk when the call returns.
enum FilePlacing {
    /// Gives the file `path` the name `finalPath`.
    static func place(_ path: String, at finalPath: String, replacing: Bool) throws {
        if replacing {
            guard unsafe rename(path, finalPath) == 0 else { throw FileFailure.failed(finalPath, "cannot be replaced") }
        } else {
            // Unlike rename(), this replaces nothing.
            if unsafe link(path, finalPath) == 0 {
                unsafe unlink(path)
            } else if errno == EEXIST {
                throw CommandFailure.refused("\(finalPath) is there already: name another file.")
            } else {
                // File systems without hard links. Whether the name is free was looked at before.
                guard unsafe rename(path, finalPath) == 0 else {
                    throw FileFailure.failed(finalPath, "cannot be made")
                }
            }
        }
        try syncFolder(of: finalPath)
    }

    /// Keeps the file `path` under a second name, before it is replaced.
    static func keep(_ path: String, as other: String) throws {
        guard unsafe link(path, other) == 0 else {
            throw FileFailure.failed(path, "cannot be kept as \(other)")
        }
        try syncFolder(of: other)
    }

    /// Removes what follows so many bytes.
    static func cut(_ path: String, to byteCount: Int) throws {
        guard unsafe truncate(path, off_t(byteCount)) == 0 else { throw FileFailure.failed(path, "cannot be cut") }
    }

    static func syncFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure.failed(folder, "cannot be opened") }
        defer { close(descriptor) }
        // Some network file systems cannot do it, and say so.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
            throw FileFailure.failed(folder, "cannot be written to the disk")
        }
    }
}

/// What the system says about a file, in a sentence.
enum FileFailure {
    static func failed(_ path: String, _ what: String) -> CommandFailure {
        .failed("\(path) \(what): \(unsafe String(cString: strerror(errno))).")
    }

    static func writing(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Foundation.write(descriptor, $0.baseAddress! + start, bytes.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failed(path, "cannot be written any further") }
            start += count
        }
    }
}
