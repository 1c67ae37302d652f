internal import Authority
internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// Follows a database's log into a folder until it is told to stop.
struct LogFollowing {
    /// When what is done. In seconds.
    struct Schedule {
        /// Between two looks at the log.
        var poll: Int64
        /// Between two snapshots.
        var snapshot: Int64
        /// How long moments can be restored.
        var keep: Int64
        /// So long a log that cannot be appended to may hold up the database's, in bytes.
        var waitingBytesMax: Int
    }

    let configuration: ServerConfiguration
    let database: String
    let folder: LogFolder
    let recipients: [BackupRecipient]
    let withSecrets: Bool
    let schedule: Schedule
    let ambient: Ambient
    let onNews: (LogNews) -> Void
    let isStopped: () -> Bool

    /// From so many pages on the database's log is begun anew, before its server waits for that.
    private static let framesMax = 8_192
    /// So many pages at once mean that more are coming.
    private static let framesOfHaste = 2_048
    private static let beatSeconds: Int64 = 60
    private static let retrySeconds: Int64 = 10

    /// - Throws: ``CommandFailure``.
    func run() async throws {
        let hold = try folder.hold()
        defer { withExtendedLifetime(hold) {} }
        while !isStopped() {
            do {
                try await follow()
            } catch let problem as LogProblem where problem == .broken {
                onNews(.broken)
            } catch let problem as LogProblem {
                throw CommandFailure.failed("the log of \(database): \(problem)")
            }
        }
    }

    /// Follows one line.
    private func follow() async throws {
        let log = try LogFollower(of: database)
        var run = Run(log: log, writer: try begin(log))
        // A line that breaks needs it no more.
        defer { run.snapshot?.end() }
        while !isStopped() {
            let frames = try step(&run)
            try await endSnapshot(&run)
            guard frames < Self.framesOfHaste else { continue }
            await pause(run.retryAt == nil ? schedule.poll : 1)
        }
        run.snapshot?.end()
        while run.snapshot != nil, run.snapshot?.result == nil { try? await Task.sleep(for: .milliseconds(50)) }
        try await endSnapshot(&run)
        _ = try step(&run)
    }

    /// A stop does not wait for its end.
    private func pause(_ seconds: Int64) async {
        for _ in 0..<(4 * seconds) where !isStopped() { try? await Task.sleep(for: .milliseconds(250)) }
    }

    /// The line that is there, if it is known to go on, or a new one.
    private func begin(_ log: LogFollower) throws -> LogLineWriter {
        if let line = try folder.lines().last, let end = try LogLineEnd.find(line),
            try log.resume(from: end.record.position)
        {
            line.removeUnfinished()
            onNews(.resumed(line))
            return try LogLineWriter(resuming: line, end, to: recipients, ambient: ambient)
        }
        let line = try folder.newLine(ambient)
        onNews(.began(line))
        return try LogLineWriter(line, to: recipients, at: log.position, ambient: ambient)
    }

    private struct Run {
        let log: LogFollower
        let writer: LogLineWriter
        var snapshot: SnapshotRun?
        /// When the last one began; `nil`: not known.
        var snapshotAt: UnixTime?
        /// Until then nothing is appended, as it failed; `nil`: it did not.
        var retryAt: UnixTime?

        init(log: LogFollower, writer: LogLineWriter) {
            (self.log, self.writer) = (log, writer)
        }
    }

    /// - Returns: how many pages the log had.
    private func step(_ run: inout Run) throws -> Int {
        let now = ambient.now()
        guard run.retryAt.map({ $0 <= now }) ?? true || isStopped() else { return 0 }
        do {
            let frames = try run.log.advance(run.writer.write)
            try beginSnapshot(&run, now)
            try beginAnew(run)
            if run.writer.time + Self.beatSeconds <= now { try run.writer.beat() }
            if run.retryAt != nil { onNews(.recovered) }
            run.retryAt = nil
            return frames
        } catch let failure as CommandFailure {
            try run.writer.abandon()
            try wait(&run, failure, now)
            return 0
        }
    }

    private func beginAnew(_ run: Run) throws {
        // A snapshot needs the log as it is.
        guard run.log.position.frames >= Self.framesMax, run.snapshot == nil else { return }
        try run.log.beginAnew(run.writer.write)
    }

    /// While nothing can be appended, the database's log grows. It must not fill the server's disk.
    private func wait(_ run: inout Run, _ failure: CommandFailure, _ now: UnixTime) throws {
        let waiting = (try? FileManager.default.attributesOfItem(atPath: "\(database)-wal"))?[.size] as? Int ?? 0
        guard waiting <= schedule.waitingBytesMax, !isStopped() else { throw failure }
        if run.retryAt == nil { onNews(.waiting(failure.sentence)) }
        run.retryAt = now + Self.retrySeconds
    }

    // MARK: Snapshots

    private func beginSnapshot(_ run: inout Run, _ now: UnixTime) throws {
        guard run.snapshot == nil else { return }
        if run.snapshotAt == nil { run.snapshotAt = try LogIndex(run.writer.line).snapshots.last?.time }
        if let last = run.snapshotAt, last + schedule.snapshot > now { return }
        try run.writer.beginPart()
        run.snapshotAt = now
        onNews(.copying)
        run.snapshot = SnapshotRun(
            configuration, of: run.writer.line, run.writer.number, to: recipients, withSecrets: withSecrets)
    }

    private func endSnapshot(_ run: inout Run) async throws {
        guard let snapshot = run.snapshot, let result = snapshot.result else { return }
        run.snapshot = nil
        do {
            let report = try result.get()
            // What was committed before the snapshot was read is in the log before it is noted there.
            try run.log.advance(run.writer.write)
            try run.writer.noteSnapshot(report.digest)
            _ = await BackupAudit.record(report.event(actor: Operator.actor.name, at: ambient.now()), in: configuration)
            onNews(.snapshot(report))
            removeOld()
        } catch let failure as CommandFailure {
            try run.writer.abandon()
            guard !isStopped() else { return }
            onNews(.noSnapshot(failure.sentence))
            // Again in a minute.
            run.snapshotAt = ambient.now() - schedule.snapshot + Self.beatSeconds
        }
    }

    private func removeOld() {
        do {
            let removed = try LogRetention(folder: folder, seconds: schedule.keep).apply(at: ambient.now())
            if removed > 0 { onNews(.removed(removed)) }
        } catch {
            onNews(.notRemoved((error as? CommandFailure)?.sentence ?? "\(error)"))
        }
    }
}
