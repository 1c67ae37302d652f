internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// The way to a database as of a moment: a snapshot, and the records that follow it.
struct LogReplay {
    let line: LogLine
    /// The part with which the snapshot begins.
    let snapshot: Int
    /// The last record, and the part that it is in.
    let last: (part: Int, record: Int)
    /// The state is that of the end of this second.
    let time: UnixTime

    /// Finds the newest snapshot with which the database can be what it was at a moment.
    ///
    /// - Parameter moment: `nil`: the newest one.
    /// - Throws: ``CommandFailure``.
    static func find(in folder: LogFolder, at moment: UnixTime?) throws -> LogReplay {
        let lines = try folder.lines()
        for line in lines.reversed() {
            let index = try LogIndex(line, until: moment)
            guard let snapshot = index.snapshots.last, let last = index.last else { continue }
            return LogReplay(
                line: line, snapshot: snapshot.part, last: (last.part, last.record), time: last.time)
        }
        guard let moment, let first = try lines.lazy.compactMap({ try LogIndex($0).span }).first else {
            throw CommandFailure.refused(
                """
                \(folder.path) has no snapshot of a database: let `keyturn backup follow` run until it says that there \
                is one.
                """)
        }
        throw CommandFailure.refused(
            """
            \(folder.path) has nothing of \(Report.text(moment)): it begins with \(Report.text(first.lowerBound)). \
            `keyturn backup list` shows all of it.
            """)
    }

    /// Applies the records to a snapshot that is there.
    ///
    /// - Parameters:
    ///   - file: the snapshot. It is a database of that moment when the call returns.
    ///   - onProgress: what it throws ends the replay there.
    /// - Throws: ``CommandFailure``.
    func run(
        on file: ScratchFile, with identities: [BackupIdentity], onProgress: (BackupProgress) throws -> Void
    ) throws {
        let digest = try BackupArchive.digest(of: line.snapshot(snapshot)) { _ in }
        var state = State(file, Array(digest))
        var tag: [UInt8] = []
        for part in snapshot...last.part {
            let path = line.part(part)
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure.failed("\(path) is missing: without it nothing later can be restored.")
            }
            let reader = try LogPartReader(path, .decrypting(identities))
            try requireFollows(reader, part, tag)
            if part < last.part {
                while let (record, body) = try reader.next() { try state.apply(record, body) }
            } else {
                try apply(reader, &state)
            }
            tag = reader.tag
            try onProgress(
                BackupProgress(.replaying, done: part - snapshot + 1, total: last.part - snapshot + 1))
        }
        guard try state.finish() else {
            throw CommandFailure.failed(
                "\(line.snapshot(snapshot)) is not the snapshot that the log goes on from: take another copy of it.")
        }
    }

    /// A part names the end of the part before: so neither can be cut or be another one.
    private func requireFollows(_ reader: LogPartReader, _ part: Int, _ tag: [UInt8]) throws {
        guard let (record, body) = try reader.next(), record.kind == .opening else {
            throw CommandFailure.failed("\(reader.path) has no beginning: take another copy of it.")
        }
        guard part == snapshot || body == tag else {
            throw CommandFailure.failed(
                "\(line.part(part - 1)) is not whole, or \(reader.path) does not follow it: take other copies of both.")
        }
    }

    private func apply(_ reader: LogPartReader, _ state: inout State) throws {
        // The opening was read.
        for number in stride(from: 1, through: last.record, by: 1) {
            guard let (record, body) = try reader.next() else {
                throw CommandFailure.failed("\(reader.path): record \(number + 1) is damaged: take another copy of it.")
            }
            try state.apply(record, body)
        }
    }

    /// The pages of the database so far.
    private struct State {
        private let file: ScratchFile
        private var pageBytes: Int?
        private var pageCount: UInt32 = 0
        private let digest: [UInt8]
        private var isNamed = false

        /// - Parameter digest: of the snapshot. The log must name it.
        init(_ file: ScratchFile, _ digest: [UInt8]) {
            (self.file, self.digest) = (file, digest)
        }

        mutating func apply(_ record: LogRecord, _ body: [UInt8]) throws {
            if record.kind == .snapshot, body == digest { isNamed = true }
            guard record.kind == .pages || record.kind == .commit, !body.isEmpty else { return }
            let length = 4 + record.pageBytes
            guard record.pageBytes >= 512, body.count % length == 0, pageBytes ?? record.pageBytes == record.pageBytes
            else { throw CommandFailure.failed("the log has pages of another length: it is another database's.") }
            pageBytes = record.pageBytes
            for start in stride(from: 0, to: body.count, by: length) {
                let number = Int(LogRecord.number(body, start, 4))
                guard number > 0 else { continue }
                try file.write(body[(start + 4)..<(start + length)], at: (number - 1) * record.pageBytes)
            }
            if record.kind == .commit { pageCount = record.pageCount }
        }

        /// What is left beyond the last page belonged to pages that are gone.
        ///
        /// - Returns: whether the log named the snapshot.
        func finish() throws -> Bool {
            if let pageBytes, pageCount > 0 { try file.cut(to: Int(pageCount) * pageBytes) }
            return isNamed
        }
    }
}
