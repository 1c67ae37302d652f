internal import Foundation

/// A file that is read from its beginning.
final class ReadFile {
    let path: String
    let byteCount: Int
    private let handle: FileHandle

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
            return bytes
        } catch {
            throw CommandFailure.failed("\(path) cannot be read any further.")
        }
    }
}
