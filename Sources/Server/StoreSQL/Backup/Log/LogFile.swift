internal import Foundation

/// Reads the file of a write-ahead log (SQLite's file format, section 4). Nothing is locked by it.
struct LogFile {
    let path: String

    private static let headBytes = 32
    private static let frameHeadBytes = 24

    /// The head of a log.
    struct Head: Equatable {
        let pageBytes: Int
        let salt: UInt64
    }

    /// The head of one page in the log.
    struct FrameHead {
        let page: UInt32
        /// Pages of the database after a commit; 0 within a transaction.
        let pageCount: UInt32
        let salt: UInt64
        let checksum: UInt64
    }

    /// - Returns: `nil` if nothing was written yet.
    func head() throws -> Head? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        let bytes = try Self.read(handle, at: 0, Self.headBytes)
        guard bytes.count == Self.headBytes else { return nil }
        return Head(pageBytes: Int(Self.number(bytes, 8, 4)), salt: Self.number(bytes, 16, 8))
    }

    func open() throws -> FileHandle {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw LogProblem.damaged }
        return handle
    }

    /// - Parameter index: the first one is 0.
    static func frameHead(_ handle: FileHandle, _ index: Int, _ head: Head) throws -> FrameHead {
        let bytes = try read(handle, at: offset(of: index, head), frameHeadBytes)
        guard bytes.count == frameHeadBytes else { throw LogProblem.damaged }
        return FrameHead(
            page: UInt32(number(bytes, 0, 4)), pageCount: UInt32(number(bytes, 4, 4)), salt: number(bytes, 8, 8),
            checksum: number(bytes, 16, 8))
    }

    static func page(_ handle: FileHandle, _ index: Int, _ head: Head) throws -> [UInt8] {
        let bytes = try read(handle, at: offset(of: index, head) + frameHeadBytes, head.pageBytes)
        guard bytes.count == head.pageBytes else { throw LogProblem.damaged }
        return bytes
    }

    private static func offset(of index: Int, _ head: Head) -> Int {
        headBytes + index * (frameHeadBytes + head.pageBytes)
    }

    private static func read(_ handle: FileHandle, at offset: Int, _ count: Int) throws -> [UInt8] {
        try handle.seek(toOffset: UInt64(offset))
        return Array(try handle.read(upToCount: count) ?? Data())
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        bytes[start..<(start + count)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
