internal import Foundation

/// The file that is read, in pieces.
final class InputFile {
    private let handle: FileHandle
    /// `nil`: it is not known before the end.
    let byteCount: Int?
    private(set) var bytesRead = 0

    /// - Throws: ``CommandFailure`` if there is no such file.
    init(path: String) throws {
        guard path != "-" else {
            handle = FileHandle(fileDescriptor: STDIN_FILENO)
            byteCount = nil
            return
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType != .typeDirectory,
            let handle = FileHandle(forReadingAtPath: path)
        else { throw CommandFailure.refused("\(path) cannot be read: is it a file, and may you read it?") }
        self.handle = handle
        byteCount = attributes?[.size] as? Int
    }

    /// The next bytes; none at the end.
    func read() throws -> [UInt8] {
        do {
            let bytes = Array(try handle.read(upToCount: ImportLimits.chunkBytes) ?? Data())
            bytesRead += bytes.count
            return bytes
        } catch {
            throw CommandFailure.failed("the file cannot be read any further.")
        }
    }
}
