public import KeyturnBase
internal import Synchronization

/// The clock of a development server: the machine's, ahead of it by what a developer asked for.
///
/// It never goes back: tokens, keys and rows would lie in the future, and the server promises its parts an uptime that
/// only grows. A new process begins at the present again.
public final class DevelopmentClock: Sendable {
    /// Why it was not moved.
    enum Problem: Error, Hashable {
        /// The moment has passed already; `now` is the clock's time.
        case past(now: UnixTime)
        /// The clock would be further ahead than ``aheadSecondsMax``.
        case tooFar
    }

    /// How far it can be ahead of the machine's clock, in seconds: ten years.
    static let aheadSecondsMax: Int64 = 3_652 * 86_400

    private let machine: Ambient
    private let ahead = Mutex<Int64>(0)

    /// - Parameter machine: the clocks and the randomness that it builds on.
    public init(_ machine: Ambient = .live) {
        self.machine = machine
    }

    /// The time now.
    public var now: UnixTime { machine.now() + aheadSeconds }

    /// How far it is ahead of the machine's clock, in seconds.
    var aheadSeconds: Int64 { ahead.withLock { $0 } }

    /// The clock and randomness for the server. All of its clocks move together.
    public var ambient: Ambient {
        Ambient(
            clock: { self.now }, uptime: { self.machine.uptime() + self.aheadSeconds },
            ticks: { self.machine.coarseMilliseconds() + self.aheadSeconds * 1_000 },
            entropy: { self.machine.randomBytes($0) })
    }

    /// Moves it forward.
    func move(_ change: TimeChange) throws(Problem) {
        try ahead.withLock { ahead throws(Problem) in
            let present = machine.now()
            let seconds: Int64
            switch change {
            case .advance(let more):
                guard more >= 0 else { throw .past(now: present + ahead) }
                seconds = ahead.addingReportingOverflow(more).overflow ? .max : ahead + more
            case .at(let time):
                seconds = time.seconds(since: present)
                guard seconds >= ahead else { throw .past(now: present + ahead) }
            }
            guard seconds <= Self.aheadSecondsMax else { throw .tooFar }
            ahead = seconds
        }
    }
}
