internal import Foundation

/// A file that no other user of the machine may read, written from the beginning.
struct PrivateFile {
    private let handle: FileHandle
    let path: String

    /// - Parameter path: a file that is there is emptied, and its permissions are taken back.
    /// - Throws: ``CommandFailure`` if it cannot be made.
    init(path: String) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure.failed("\(path) cannot be written: \(unsafe String(cString: strerror(errno))).")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        self.path = path
        // A device or a pipe has no permissions of its own to take back.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw CommandFailure.failed("\(path) belongs to somebody else. Name another file.")
        }
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            throw CommandFailure.failed("\(path) cannot be written any further: is the disk full?")
        }
    }

    /// Returns when it is on the disk.
    func finish() throws {
        do {
            try handle.synchronize()
        } catch {
            // Pipes and devices cannot be synchronised; a full disk was noticed while writing.
        }
    }

    /// Writes a file that gets its name when it is complete.
    ///
    /// - Throws: ``CommandFailure``; then there is no file, or the earlier one.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let file = try PrivateFile(path: "\(path).part")
        do {
            try file.write(bytes)
            try file.finish()
            guard unsafe rename(file.path, path) == 0 else {
                throw CommandFailure.failed("\(path) cannot be written: is there a folder of that name?")
            }
        } catch {
            unsafe unlink(file.path)
            throw error
        }
    }
}
