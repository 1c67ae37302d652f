internal import Foundation
internal import KeyturnBase

/// What the heads of a line's records tell, without a key.
struct LogIndex {
    let line: LogLine
    /// Snapshots that can be used, in their order: the part with which each begins, and from when on it can.
    private(set) var snapshots: [(part: Int, milliseconds: Int64)] = []
    /// The last record after which the database was whole; the first record of a part is number 0.
    private(set) var last: (part: Int, record: Int, milliseconds: Int64)?

    /// - Parameter limit: Later records are left out. In milliseconds since 1970.
    /// - Throws: ``CommandFailure``.
    init(_ line: LogLine, until limit: Int64 = .max) throws {
        self.line = line
        let files = try line.snapshots()
        for part in try line.parts() {
            guard let reader = try Self.reader(line.part(part)) else { continue }
            var number = 0
            while let (record, _) = try reader.next() {
                guard record.milliseconds <= limit else { return }
                if record.kind != .pages { last = (part, number, record.milliseconds) }
                if record.kind == .snapshot, let newest = files.last(where: { $0 <= part }) {
                    snapshots.append((newest, record.milliseconds))
                }
                number += 1
            }
        }
    }

    /// - Returns: `nil` for a part whose head was not written yet.
    private static func reader(_ path: String) throws -> LogPartReader? {
        do {
            return try LogPartReader(path, .heads)
        } catch let failure as CommandFailure where failure.code == 1 {
            return nil
        }
    }

    /// The first and the last moment of which a database can be made; `nil` if there is no snapshot.
    var span: ClosedRange<Int64>? {
        guard let first = snapshots.first, let last else { return nil }
        return first.milliseconds...max(first.milliseconds, last.milliseconds)
    }
}

/// Moments in a log, as people and programs read them.
enum LogTime {
    /// The first whole second that is not before.
    static func text(_ milliseconds: Int64) -> String { Report.text(time(milliseconds)) }
    static func time(_ milliseconds: Int64) -> UnixTime { UnixTime(rawValue: (milliseconds + 999) / 1_000) }
}
