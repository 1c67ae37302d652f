internal import Foundation
internal import KeyturnBase

/// What the heads of a line's records tell, without a key.
struct LogIndex {
    let line: LogLine
    /// Snapshots that can be used, in their order: the part with which each begins, and from when on it can.
    private(set) var snapshots: [(part: Int, time: UnixTime)] = []
    /// The last record after which the database was whole; the first record of a part is number 0.
    private(set) var last: (part: Int, record: Int, time: UnixTime)?

    /// - Parameter limit: Later records are left out; `nil`: none is.
    /// - Throws: ``CommandFailure``.
    init(_ line: LogLine, until limit: UnixTime? = nil) throws {
        self.line = line
        let files = try line.snapshots()
        for part in try line.parts() {
            guard let reader = try Self.reader(line.part(part)) else { continue }
            var number = 0
            while let (record, _) = try reader.next() {
                guard limit.map({ record.time <= $0 }) ?? true else { return }
                if record.kind != .pages { last = (part, number, record.time) }
                if record.kind == .snapshot, let newest = files.last(where: { $0 <= part }) {
                    snapshots.append((newest, record.time))
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
    var span: ClosedRange<UnixTime>? {
        guard let first = snapshots.first, let last else { return nil }
        return first.time...max(first.time, last.time)
    }
}
