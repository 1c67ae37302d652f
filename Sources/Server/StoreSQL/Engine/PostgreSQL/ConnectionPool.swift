internal import Foundation
internal import KeyturnBase
internal import Synchronization

/// Connections, each with a thread of its own: libpq waits for its answers, and no thread of the tasks may wait.
///
/// A job gets the first connection that is free. Some connections are kept for reads, and some for reads and for writes
/// that do not wait for another machine: while no standby answers, tokens are refreshed and checked all the same.
final class ConnectionPool: Sendable {
    enum Lane: Hashable, Sendable {
        case read, local, write
    }

    struct Job: Sendable {
        let lane: Lane
        /// When its caller gives up.
        let deadline: ContinuousClock.Instant
        let work: @Sendable (PooledConnection) -> Void
        /// Called in place of `work` if the deadline passed before its turn, or the pool was closed.
        let shed: @Sendable () -> Void
    }

    /// What a thread waits at.
    private final class Desk: Sendable {
        let lanes: Set<Lane>
        let inbox = Mutex<Job?>(nil)
        let bell = DispatchSemaphore(value: 0)

        init(lanes: Set<Lane>) { self.lanes = lanes }
    }

    private struct State: Sendable {
        var waiting: [Job] = []
        /// Threads without work, the one that was used last at the end.
        var idle: [Desk] = []
        var started = 0
        var isClosed = false
    }

    /// Most jobs that wait; with more, the database is reported as unavailable.
    private static let backlogMax = 10_000

    private let state = Mutex(State())
    private let connectionsMax: Int
    /// How many connections are kept for each of the two.
    private let kept: Int
    private let connect: Connector

    /// - Parameters:
    ///   - connectionsMax: at least 4.
    ///   - connect: opens connections.
    init(connectionsMax: Int, connect: Connector) {
        precondition(connectionsMax >= 4)
        self.connectionsMax = connectionsMax
        kept = min(2, connectionsMax / 4)
        self.connect = connect
    }

    /// Gives the job to a connection, or lets it wait for one.
    func submit(_ job: Job) {
        let verdict = state.withLock { state -> Admission in
            guard !state.isClosed else { return .refuse }
            if let position = state.idle.lastIndex(where: { $0.lanes.contains(job.lane) }) {
                return .hand(state.idle.remove(at: position))
            }
            if let lanes = nextLanes(state, for: job.lane) {
                state.started += 1
                return .start(Desk(lanes: lanes))
            }
            guard state.waiting.count < Self.backlogMax else { return .refuse }
            state.waiting.append(job)
            return .wait
        }
        switch verdict {
        case .hand(let desk): hand(job, to: desk)
        case .start(let desk): start(desk, with: job)
        case .wait: break
        case .refuse: job.shed()
        }
    }

    private enum Admission {
        case hand(Desk), start(Desk), wait, refuse
    }

    /// What the next thread would do; `nil` if there are enough, or it would not do this.
    private func nextLanes(_ state: State, for lane: Lane) -> Set<Lane>? {
        guard state.started < connectionsMax else { return nil }
        let left = connectionsMax - state.started
        let lanes: Set<Lane> =
            if left <= kept { [.read] } else if left <= 2 * kept { [.read, .local] } else { [.read, .local, .write] }
        return lanes.contains(lane) ? lanes : nil
    }

    private func hand(_ job: Job, to desk: Desk) {
        desk.inbox.withLock { $0 = job }
        desk.bell.signal()
    }

    private func start(_ desk: Desk, with job: Job) {
        let isStarted = DetachedThread.start { [self] in
            let connection = PooledConnection(connect)
            perform(job, connection)
            attend(desk, connection)
        }
        guard !isStarted else { return }
        state.withLock { $0.started -= 1 }
        job.shed()
    }

    /// Takes one job after the other until the pool is closed.
    private func attend(_ desk: Desk, _ connection: PooledConnection) {
        while true {
            switch next(for: desk) {
            case .job(let job): perform(job, connection)
            case .end: return
            case .rest:
                desk.bell.wait()
                if let job = desk.inbox.withLock({ $0.take() }) { perform(job, connection) }
            }
        }
    }

    private enum Turn {
        case job(Job), rest, end
    }

    private func next(for desk: Desk) -> Turn {
        state.withLock { state in
            if let position = state.waiting.firstIndex(where: { desk.lanes.contains($0.lane) }) {
                return .job(state.waiting.remove(at: position))
            }
            if state.isClosed { return .end }
            state.idle.append(desk)
            return .rest
        }
    }

    private func perform(_ job: Job, _ connection: PooledConnection) {
        if ContinuousClock.now < job.deadline { job.work(connection) } else { job.shed() }
    }

    /// Ends all connections, each when its work is done. What waits is dropped.
    func close() {
        let (idle, waiting) = state.withLock { state in
            defer { (state.idle, state.waiting, state.isClosed) = ([], [], true) }
            return (state.idle, state.waiting)
        }
        for job in waiting { job.shed() }
        for desk in idle { desk.bell.signal() }
    }
}
