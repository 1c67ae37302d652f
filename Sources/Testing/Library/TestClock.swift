public import KeyturnBase
internal import ServerTesting
internal import Synchronization

/// A clock that moves only when a test says so. It begins at the machine's time.
///
/// Give ``ambient`` to whatever takes a clock, so that the app, the backend and the server agree:
/// `Keyturn(server.service, ambient: server.clock.ambient)`.
public final class TestClock: Sendable {
    let virtual = VirtualClock()
    private let listeners = Mutex<[@Sendable () async -> Void]>([])

    /// A clock at the machine's time. Several servers may share one.
    public init() {}

    /// The time now.
    public var now: UnixTime { virtual.now }

    /// This clock, and the machine's randomness.
    public var ambient: Ambient { virtual.ambient }

    /// Lets time pass. Servers with this clock have then done what was due: rotated their keys, removed what expired.
    ///
    /// - Parameter duration: not negative; fractions of a second do not count.
    public func advance(by duration: Duration) async {
        precondition(duration >= .zero, "time only goes forward")
        virtual.advance(duration.components.seconds)
        for listener in listeners.withLock({ $0 }) { await listener() }
    }

    /// Calls `body` after each move.
    func onAdvance(_ body: @escaping @Sendable () async -> Void) {
        listeners.withLock { $0.append(body) }
    }
}
