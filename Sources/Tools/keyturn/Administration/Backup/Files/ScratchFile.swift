#if canImport(Darwin)
    internal import Darwin
#else
    // The compiler finds `stat` in the one or the other, whichever it read first.
    internal import CoreFoundation
    internal import Glibc
#endif
internal import Foundation

/// A database file that only this command uses, for its owner alone, under a name of its own. What a command that was
/// killed left behind is taken over by the next one.
final class ScratchFile {
    let path: String
    private let descriptor: Int32
    private var isGone = false

    /// - Throws: ``CommandFailure`` if it cannot be made, or if another command uses it.
    init(_ path: String) throws {
        self.path = path
        descriptor = try Self.locked(path)
        Self.removeLog(of: path)
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else {
            throw FileFailure.failed(path, "cannot be emptied")
        }
    }

    deinit {
        if !isGone {
            Self.removeLog(of: path)
            unsafe unlink(path)
        }
        close(descriptor)
    }

    /// It may have been removed between the opening and the locking, by the command that used it.
    private static func locked(_ path: String) throws -> Int32 {
        for _ in 0..<10 {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw FileFailure.failed(path, "cannot be made") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw CommandFailure.failed("\(path) is used by another backup or restore: wait for it.")
            }
            var (opened, named) = (stat(), stat())
            let isSame =
                unsafe fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
                && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
            if isSame {
                guard opened.st_uid == geteuid(), opened.st_nlink == 1 else {
                    close(descriptor)
                    throw CommandFailure.refused("\(path) belongs to another user: remove it.")
                }
                return descriptor
            }
            close(descriptor)
        }
        throw CommandFailure.failed("\(path) is used by another backup or restore: wait for it.")
    }

    /// Removes the files that SQLite puts beside a database.
    static func removeLog(of path: String) {
        for ending in ["-wal", "-shm", "-journal"] { unsafe unlink(path + ending) }
    }

    func write(_ bytes: [UInt8]) throws {
        try FileFailure.writing(bytes, to: descriptor, path)
    }

    /// Returns when everything is on the disk.
    func sync() throws {
        guard fsync(descriptor) == 0 else { throw FileFailure.failed(path, "cannot be written to the disk") }
    }

    /// Gives it its final name.
    func place(at finalPath: String, replacing: Bool) throws {
        try sync()
        try FilePlacing.place(path, at: finalPath, replacing: replacing)
        isGone = true
    }
}
