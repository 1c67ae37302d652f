public import KeyturnBase
internal import Synchronization

/// A clock that moves when it is told to. Randomness stays real.
public final class VirtualClock: Sendable {
    private let time: Mutex<UnixTime>

    public init(_ start: UnixTime = Ambient.live.now()) {
        time = Mutex(start)
    }

    public var now: UnixTime { time.withLock { $0 } }

    /// Moves by `seconds`; backwards too.
    public func advance(_ seconds: Int64) {
        time.withLock { $0 = $0 + seconds }
    }

    /// What code under test is given.
    public var ambient: Ambient {
        Ambient(clock: { self.now }, entropy: { Ambient.live.randomBytes($0) })
    }
}
