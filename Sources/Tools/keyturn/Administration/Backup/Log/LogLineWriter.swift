internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// Appends to a line of a log folder.
final class LogLineWriter {
    let line: LogLine
    private let recipients: [BackupRecipient]
    private let ambient: Ambient
    private var part: LogPartWriter?
    /// Of the part that is written, or was written last.
    private(set) var number: Int
    /// The tag of the last record that is kept.
    private var tag: [UInt8]
    private(set) var position: LogPosition
    private var pageCount: UInt32
    private var pageBytes: Int
    /// Of the last record. Time does not go back, even if the clock does.
    private(set) var time: UnixTime
    private var partBegan = UnixTime(rawValue: 0)

    /// A part of a log is no longer than this.
    private static let partBytesMax = 67_108_864
    private static let partSecondsMax: Int64 = 3_600

    /// Begins a new line.
    init(
        _ line: LogLine, to recipients: [BackupRecipient], at position: LogPosition, ambient: Ambient
    ) throws {
        (self.line, self.recipients, self.ambient, self.position) = (line, recipients, ambient, position)
        (number, tag) = (0, [UInt8](repeating: 0, count: LogRecord.tagBytes))
        (pageCount, pageBytes, time) = (0, 0, UnixTime(rawValue: 0))
        try beginPart()
    }

    /// Goes on with a line that another process wrote.
    init(resuming line: LogLine, _ end: LogLineEnd, to recipients: [BackupRecipient], ambient: Ambient) throws {
        (self.line, self.recipients, self.ambient) = (line, recipients, ambient)
        (number, tag, position) = (end.part, end.tag, end.record.position)
        (pageCount, pageBytes) = (end.record.pageCount, end.record.pageBytes)
        time = end.record.time
        try beginPart()
    }

    /// Appends pages. With the last piece they are on the disk.
    ///
    /// - Throws: ``CommandFailure``; then ``abandon()`` follows.
    func write(_ piece: LogPiece) throws {
        let body = piece.pages.flatMap { LogRecord.bytes(UInt64($0.number), 4) + $0.bytes }
        let record = LogRecord(
            kind: piece.isLast ? .commit : .pages, time: tick(), position: piece.position,
            pageCount: piece.pageCount, pageBytes: piece.pageBytes)
        try writer().append(record, body)
        guard piece.isLast else { return }
        try keep()
        (position, pageCount, pageBytes) = (piece.position, piece.pageCount, piece.pageBytes)
        try endLongPart()
    }

    /// Says that nothing was changed until now.
    func beat() throws {
        try writer().append(record(.commit), [])
        try keep()
    }

    /// Says that the snapshot that was begun last is there, and that all of its changes were appended.
    ///
    /// - Parameter digest: of its file, so that no other one takes its place.
    func noteSnapshot(_ digest: [UInt8]) throws {
        try writer().append(record(.snapshot), digest)
        try keep()
    }

    /// Forgets the records that are not on the disk, as when it was full.
    ///
    /// - Throws: ``CommandFailure`` if that is not possible: then the line ends here.
    func abandon() throws {
        if try part?.abandon() == true { number -= 1 }
        part = nil
    }

    private func keep() throws {
        let writer = try writer()
        try writer.keep()
        tag = writer.keptTag
    }

    private func endLongPart() throws {
        guard let part else { return }
        let isLong = part.byteCount >= Self.partBytesMax || time >= partBegan + Self.partSecondsMax
        if isLong { try beginPart() }
    }

    /// Ends a part that has something in it, and begins the next one.
    func beginPart() throws {
        guard part?.isFresh != true else { return }
        part = nil
        _ = try writer()
    }

    private func writer() throws -> LogPartWriter {
        if let part { return part }
        let opening = record(.opening)
        let made = try LogPartWriter(
            line.part(number + 1), to: recipients, after: tag, opening, ambient: ambient)
        (part, number, partBegan) = (made, number + 1, opening.time)
        return made
    }

    private func record(_ kind: LogRecord.Kind) -> LogRecord {
        LogRecord(
            kind: kind, time: tick(), position: position, pageCount: pageCount, pageBytes: pageBytes)
    }

    private func tick() -> UnixTime {
        time = max(time, ambient.now())
        return time
    }
}

/// The last record of a line.
struct LogLineEnd {
    let part: Int
    let record: LogRecord
    let tag: [UInt8]

    /// Finds the last record after which the database was whole, and removes what a process that was killed left
    /// behind it.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``CommandFailure``.
    static func find(_ line: LogLine) throws -> LogLineEnd? {
        for number in try line.parts().reversed() {
            let path = line.part(number)
            if let end = try end(of: path, number) { return end }
            // It was made when the process was killed.
            try? FileManager.default.removeItem(atPath: path)
        }
        return nil
    }

    private static func end(of path: String, _ number: Int) throws -> LogLineEnd? {
        var end: (found: LogLineEnd, bytes: Int)?
        do {
            let reader = try LogPartReader(path, .checking)
            while let (record, _) = try reader.next() {
                guard record.kind != .pages else { continue }
                end = (LogLineEnd(part: number, record: record, tag: reader.tag), reader.byteCount)
            }
            if let end, reader.fileByteCount > end.bytes { try FilePlacing.cut(path, to: end.bytes) }
        } catch let failure as CommandFailure where failure.code == 1 && end == nil {
            return nil
        }
        return end?.found
    }
}
