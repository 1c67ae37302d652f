public import KeyturnBase
internal import Synchronization

/// A clock that moves only when told. Random values stay real.
public final class VirtualClock: Sendable {
    private let moment: Mutex<Moment>

    public init(_ start: UnixTime = Ambient.live.now()) {
        moment = Mutex(Moment(wall: start, uptime: 0))
    }

    public var now: UnixTime { moment.withLock { $0.wall } }

    /// Lets time pass.
    public func advance(_ seconds: Int64) {
        moment.withLock { $0 = $0 + seconds }
    }

    /// Sets the wall clock, forwards or back; no time passes.
    public func jump(_ seconds: Int64) {
        moment.withLock { $0 = Moment(wall: $0.wall + seconds, uptime: $0.uptime) }
    }

    /// The clock and randomness for the code under test.
    public var ambient: Ambient {
        Ambient(
            clock: { self.now }, uptime: { self.moment.withLock { $0.uptime } },
            entropy: { Ambient.live.randomBytes($0) })
    }
}
