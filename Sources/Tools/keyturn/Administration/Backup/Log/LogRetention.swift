internal import Foundation
internal import KeyturnBase

/// Removes what no moment needs that is to be kept.
struct LogRetention {
    let folder: LogFolder
    /// How long moments are kept.
    let seconds: Int64

    /// Keeps the newest snapshot from before that time, and all that follows it.
    ///
    /// - Returns: how many files were removed.
    /// - Throws: ``CommandFailure``.
    @discardableResult
    func apply(at now: UnixTime) throws -> Int {
        let indexes = try folder.lines().map { try LogIndex($0) }
        let all = indexes.flatMap { index in index.snapshots.map { (line: index.line.name, snapshot: $0) } }
        guard let kept = all.last(where: { $0.snapshot.time <= now - seconds }) else { return 0 }
        var count = 0
        for index in indexes where index.line.name <= kept.line {
            count += try remove(index.line, before: index.line.name == kept.line ? kept.snapshot.part : .max)
        }
        return count
    }

    /// Snapshots first: a part whose snapshot is there is never missing.
    private func remove(_ line: LogLine, before first: Int) throws -> Int {
        let paths =
            try line.snapshots().filter { $0 < first }.map(line.snapshot)
            + line.parts().filter { $0 < first }.map(line.part)
        for path in paths { try remove(path) }
        if first == .max { try remove(line.path) }
        return paths.count
    }

    private func remove(_ path: String) throws {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw CommandFailure.failed("\(path) cannot be removed: may you write to its folder?")
        }
    }
}
