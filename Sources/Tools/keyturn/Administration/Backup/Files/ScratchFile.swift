#if canImport(Darwin)
    internal import Darwin
#else
    // The compiler finds `stat` in the one or the other, whichever it read first.
    internal import CoreFoundation
    internal import Glibc
#endif
internal import Foundation

/// Where a scratch file is put.
struct ScratchPlace {
    let path: String
    /// A folder that was made for it, and goes with it; `nil`: there is none.
    let folder: String?

    /// Beside a database, in the operator's own folder.
    static func beside(_ database: String, ending: String = "scratch") -> ScratchPlace {
        ScratchPlace(path: "\(database).\(ending)", folder: nil)
    }

    /// In a folder that only this user can enter: in one for all, others could put files beside it that SQLite takes for
    /// its log.
    ///
    /// - Parameter parent: `nil`: the system's folder for temporary files.
    static func apart(in parent: String?) -> ScratchPlace {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let folder = parent.appendingPathComponent("keyturn-backup-\(geteuid())").path
        return ScratchPlace(path: "\(folder)/database.scratch", folder: folder)
    }

    /// Makes the folder, if it has one of its own.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be made, or if it is another user's.
    fileprivate func makeFolder() throws {
        guard let folder else { return }
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw FileFailure.failed(folder, "cannot be made")
        }
        var found = stat()
        guard unsafe lstat(folder, &found) == 0, found.st_mode & S_IFMT == S_IFDIR, found.st_uid == geteuid(),
            found.st_mode & 0o077 == 0
        else {
            throw CommandFailure.refused("\(folder) is not a folder of this user alone: remove it, or name --scratch.")
        }
    }
}

/// A database file that only this command uses, for its owner alone, under a name of its own. What a command that was
/// killed left behind is taken over by the next one.
final class ScratchFile {
    let path: String
    private let folder: String?
    private let descriptor: Int32
    private var isGone = false

    /// - Throws: ``CommandFailure`` if it cannot be made, or if another command uses it.
    init(_ place: ScratchPlace) throws {
        (path, folder) = (place.path, place.folder)
        try place.makeFolder()
        do {
            descriptor = try Self.locked(place.path)
        } catch {
            if let folder = place.folder { unsafe rmdir(folder) }
            throw error
        }
        Self.removeLog(of: path)
        guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else {
            throw FileFailure.failed(path, "cannot be emptied")
        }
    }

    deinit {
        if !isGone {
            Self.removeLog(of: path)
            unsafe unlink(path)
            // It stays if another command has something in it.
            if let folder { unsafe rmdir(folder) }
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

    /// Writes at a place, whatever is there.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws {
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else {
            throw FileFailure.failed(path, "cannot be written")
        }
        try FileFailure.writing(Array(bytes), to: descriptor, path)
    }

    /// Removes what follows so many bytes.
    func cut(to byteCount: Int) throws {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw FileFailure.failed(path, "cannot be cut") }
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
