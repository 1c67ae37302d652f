import KeyturnBase
import Synchronization

/// A clock that moves when a test says so.
final class VirtualClock: Sendable {
    private let seconds: Atomic<Int64>
    private let passed = Atomic<Int64>(0)

    init(_ seconds: Int64 = 1_800_000_000) {
        self.seconds = Atomic(seconds)
    }

    var now: UnixTime { UnixTime(rawValue: seconds.load(ordering: .sequentiallyConsistent)) }

    /// Time passes.
    func advance(_ delta: Int64) {
        seconds.add(delta, ordering: .sequentiallyConsistent)
        passed.add(delta, ordering: .sequentiallyConsistent)
    }

    /// Somebody sets the wall clock; no time passes.
    func jump(_ delta: Int64) {
        seconds.add(delta, ordering: .sequentiallyConsistent)
    }

    /// This clock, and unpredictable bytes.
    var ambient: Ambient {
        ambient(wrongBy: 0)
    }

    /// The same, as a machine has it whose wall clock is wrong.
    func ambient(wrongBy seconds: Int64) -> Ambient {
        Ambient(
            clock: { self.now + seconds }, uptime: { self.passed.load(ordering: .sequentiallyConsistent) },
            entropy: { Ambient.live.randomBytes($0) })
    }
}

/// A door that stays shut until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private(set) var arrivals = 0

    /// Waits until the door is open.
    func pass() async {
        arrivals += 1
        for watcher in watchers { watcher.resume() }
        watchers = []
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until somebody stands at the door.
    func someoneArrives() async {
        guard arrivals == 0 else { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    func open() {
        isOpen = true
        for visitor in waiting { visitor.resume() }
        waiting = []
    }
}
