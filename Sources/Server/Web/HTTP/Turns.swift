internal import NIOCore
internal import Synchronization

/// Connections of one event loop on which another request waits already.
///
/// The loop looks at its sockets only when it has no task left. So those that have more to do get one turn each, all
/// together, and then there is a pause in which the loop serves the clients that wait for their first answer.
final class Turns {
    private let loop: any EventLoop
    private var waiting: [() -> Void] = []
    private var isRunning = false

    /// Long enough that the loop finds the time not yet come, and waits at its sockets instead.
    private static let pause = TimeAmount.microseconds(20)
    /// After turns that took long the pause is this part of their time: where each step is slow, or the machine is busy,
    /// the shortest pause is over before the loop has looked, and it would never come to its sockets.
    private static let part: Int64 = 16

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Calls `turn` once, after the pause.
    func add(_ turn: @escaping () -> Void) {
        waiting.append(turn)
        if waiting.count == 1, !isRunning { schedule() }
    }

    private func schedule(after turns: TimeAmount = .zero) {
        let pause = max(Self.pause, .nanoseconds(turns.nanoseconds / Self.part))
        loop.assumeIsolated().scheduleTask(in: pause) { self.run() }
    }

    private func run() {
        let turns = waiting
        waiting = []
        isRunning = true
        let begin = NIODeadline.now()
        for turn in turns { turn() }
        isRunning = false
        // Only now: however long they took, there is a pause.
        if !waiting.isEmpty { schedule(after: NIODeadline.now() - begin) }
    }
}

/// The turns of each event loop of a server.
final class LoopTurns: Sendable {
    private let loops = Mutex<[ObjectIdentifier: NIOLoopBound<Turns>]>([:])

    /// On the event loop.
    func turns(of loop: any EventLoop) -> Turns {
        loops.withLock { loops in
            if let known = loops[ObjectIdentifier(loop)] { return known }
            let made = NIOLoopBound(Turns(loop), eventLoop: loop)
            loops[ObjectIdentifier(loop)] = made
            return made
        }.value
    }
}
