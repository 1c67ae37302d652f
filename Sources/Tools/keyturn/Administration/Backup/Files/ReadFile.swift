internal import Foundation

/// A file that is read from its beginning.
final class ReadFile {
    let path: String
    let byteCount: Int
    private let handle: FileHandle
    /// How many bytes were read or passed over.
    private(set) var position = 0

    /// - Throws: ``CommandFailure`` if it is no file that can be read.
    init(_ path: String) throws {
        self.path = path
        let attributes = try? FileManager.default.attributesOfItem(atPath: (path as NSString).resolvingSymlinksInPath)
        guard attributes?[.type] as? FileAttributeType == .typeRegular, let size = attributes?[.size] as? Int,
            let handle = FileHandle(forReadingAtPath: path)
        else { throw CommandFailure.refused("\(path) cannot be read: is it a file, and may you read it?") }
        (self.handle, byteCount) = (handle, size)
    }

    /// So many bytes, fewer only at the end.
    func read(_ count: Int) throws -> [UInt8] {
        do {
            var bytes: [UInt8] = []
            while bytes.count < count, let more = try handle.read(upToCount: count - bytes.count), !more.isEmpty {
                bytes += more
            }
            position += bytes.count
            return bytes
        } catch {
            throw CommandFailure.failed("\(path) cannot be read any further.")
        }
    }

    /// Passes over so many bytes.
    ///
    /// - Returns: `false` if there are fewer.
    func skip(_ count: Int) throws -> Bool {
        guard position + count <= byteCount else { return false }
        do {
            try handle.seek(toOffset: UInt64(position + count))
        } catch {
            throw CommandFailure.failed("\(path) cannot be read any further.")
        }
        position += count
        return true
    }
}
