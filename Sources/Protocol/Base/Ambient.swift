/// The two things a pure function cannot know: what time it is, and random bytes.
///
/// Passed through initialisers, never reached for. `Ambient.live` is the machine's clock and its secure random
/// generator; a test passes its own and so decides both.
public struct Ambient: Sendable {
    private let clock: @Sendable () -> UnixTime
    private let stopwatch: @Sendable () -> Int64
    @usableFromInline let ticks: @Sendable () -> Int64
    private let entropy: @Sendable (Int) -> [UInt8]

    /// - Parameters:
    ///   - clock: Wall-clock time. May jump in either direction.
    ///   - uptime: Seconds that never go back, sleep included; `nil`: the wall clock's.
    ///   - ticks: Milliseconds that never go back and cost next to nothing; may stand still during sleep; `nil`: those
    ///     of `uptime`.
    ///   - entropy: Returns as many unpredictable bytes as asked for.
    public init(
        clock: @escaping @Sendable () -> UnixTime, uptime: (@Sendable () -> Int64)? = nil,
        ticks: (@Sendable () -> Int64)? = nil, entropy: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.clock = clock
        let stopwatch = uptime ?? { clock().rawValue }
        self.stopwatch = stopwatch
        self.ticks = ticks ?? { stopwatch().multipliedReportingOverflow(by: 1_000).partialValue }
        self.entropy = entropy
    }

    /// The time now, by the wall clock.
    public func now() -> UnixTime {
        clock()
    }

    /// Seconds since some moment before this process began, sleep included. Never goes back.
    public func uptime() -> Int64 {
        stopwatch()
    }

    /// Milliseconds since some moment before this process began, to within a few. Cheap; may stand still during sleep.
    @inlinable
    public func coarseMilliseconds() -> Int64 {
        ticks()
    }

    /// The time now, by both clocks.
    public func moment() -> Moment {
        Moment(wall: clock(), uptime: stopwatch())
    }

    /// `count` unpredictable bytes, fit for keys, codes and identifiers.
    public func randomBytes(_ count: Int) -> [UInt8] {
        precondition(count > 0, "asks for at least one byte")
        let bytes = entropy(count)
        precondition(bytes.count == count, "the source of randomness must deliver what was asked for")
        return bytes
    }

    /// An unguessable token of `byteCount` random bytes, in base64url; 32 bytes are 43 characters.
    public func randomToken(byteCount: Int = 32) -> String {
        Base64URL.encode(randomBytes(byteCount))
    }
}
