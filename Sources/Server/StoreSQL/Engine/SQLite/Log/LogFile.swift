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
        /// Of the head itself: those of the pages go on from it.
        let checksum: UInt64
        /// In which order the bytes of a number are summed up.
        fileprivate let isBigEndian: Bool
    }

    /// A page in the log.
    struct Frame {
        let page: UInt32
        /// Pages of the database after a commit; 0 within a transaction.
        let pageCount: UInt32
        /// Of all pages up to this one.
        let checksum: UInt64
    }

    /// - Returns: `nil` if nothing was written yet.
    func head() throws -> Head? {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        let bytes = try Self.read(handle, at: 0, Self.headBytes)
        guard bytes.count == Self.headBytes else { return nil }
        return Head(
            pageBytes: Int(Self.number(bytes, 8, 4)), salt: Self.number(bytes, 16, 8),
            checksum: Self.number(bytes, 24, 8), isBigEndian: bytes[3] & 1 == 1)
    }

    /// The checksum that is written with a page; `nil` if it is another log's, or there is none.
    func checksum(at index: Int, _ head: Head) throws -> UInt64? {
        let bytes = try Self.read(open(), at: Self.offset(of: index, head), Self.frameHeadBytes)
        guard bytes.count == Self.frameHeadBytes, Self.number(bytes, 8, 8) == head.salt else { return nil }
        return Self.number(bytes, 16, 8)
    }

    /// The pages from an index on, up to the last one that was committed.
    ///
    /// - Parameter checksum: of the pages before. Pages whose checksum does not go on from it are being written, or are
    ///   those of an earlier log.
    func committed(from start: Int, _ head: Head, after checksum: UInt64) throws -> [Frame] {
        let handle = try open()
        var frames: [Frame] = []
        var (commits, sum) = (0, Checksum(checksum, isBigEndian: head.isBigEndian))
        while true {
            let bytes = try Self.read(
                handle, at: Self.offset(of: start + frames.count, head), Self.frameHeadBytes + head.pageBytes)
            guard bytes.count == Self.frameHeadBytes + head.pageBytes, Self.number(bytes, 8, 8) == head.salt else {
                break
            }
            sum.add(bytes[0..<8])
            sum.add(bytes[Self.frameHeadBytes...])
            guard sum.value == Self.number(bytes, 16, 8) else { break }
            let frame = Frame(
                page: UInt32(Self.number(bytes, 0, 4)), pageCount: UInt32(Self.number(bytes, 4, 4)), checksum: sum.value
            )
            frames.append(frame)
            if frame.pageCount > 0 { commits = frames.count }
        }
        return Array(frames.prefix(commits))
    }

    func open() throws -> FileHandle {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw LogProblem.damaged }
        return handle
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

/// The checksum of a write-ahead log (section 4.2).
private struct Checksum {
    private var first: UInt32
    private var second: UInt32
    private let isBigEndian: Bool

    var value: UInt64 { UInt64(first) << 32 | UInt64(second) }

    init(_ value: UInt64, isBigEndian: Bool) {
        first = UInt32(truncatingIfNeeded: value >> 32)
        second = UInt32(truncatingIfNeeded: value)
        self.isBigEndian = isBigEndian
    }

    /// - Parameter bytes: a multiple of eight.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var (first, second) = (first, second)
        unsafe bytes.withUnsafeBytes { words in
            var offset = 0
            while offset < words.count {
                let low = unsafe words.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let high = unsafe words.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                first = first &+ (isBigEndian ? low.bigEndian : low.littleEndian) &+ second
                second = second &+ (isBigEndian ? high.bigEndian : high.littleEndian) &+ first
                offset += 8
            }
        }
        (self.first, self.second) = (first, second)
    }
}
