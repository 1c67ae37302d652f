internal import Foundation
internal import Synchronization

/// Bytes of a file, by their offset.
struct MMDBFile: Sendable {
    private let handle: FileHandle
    private let lock = LockedPosition()
    /// Bytes.
    let size: Int

    /// - Returns: `nil` if the file cannot be read, is empty, or has more than ``Limits/countryFileBytesMax`` bytes.
    init?(path: String) {
        guard let handle = FileHandle(forReadingAtPath: path), let end = try? handle.seekToEnd(),
            (1...UInt64(Limits.countryFileBytesMax)).contains(end)
        else { return nil }
        self.handle = handle
        size = Int(end)
    }

    /// - Returns: `nil` if the file does not have so many bytes there.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= size - count else { return nil }
        guard count > 0 else { return [] }
        return lock.mutex.withLock { _ in
            // The file may have been cut since it was opened.
            guard (try? handle.seek(toOffset: UInt64(offset))) != nil, let data = try? handle.read(upToCount: count),
                data.count == count
            else { return nil }
            return Array(data)
        }
    }
}

/// A file has one position.
private final class LockedPosition: Sendable {
    let mutex = Mutex(())
}
