internal import KeyturnBase
internal import KeyturnVerify

/// What time it is at the service: its last `Date` and how long ago that was, by the clock that never goes back.
///
/// A device's clock may be wrong by minutes or years. What the service dates is judged by the service's own clock, so
/// that this refuses no good ID token and no good proof.
final class ServiceClock: Sendable {
    private let ambient: Ambient
    /// What the service's clock shows, less this machine's uptime; `nil` before the first answer.
    private let offset = Locked<Int64?>(nil)

    init(_ ambient: Ambient) {
        self.ambient = ambient
    }

    /// Takes note of an answer that has just arrived. Only of answers that no cache may have kept for a while.
    func note(_ response: HTTPResponse) {
        guard let date = response.header("Date").flatMap(HTTPDate.parse) else { return }
        let now = ambient.uptime()
        offset.withLock { $0 = date.rawValue - now }
    }

    /// Whether the service has said what time it is.
    var isKnown: Bool { offset.withLock { $0 != nil } }

    /// The service's time, or this machine's as long as nothing is known.
    func now() -> UnixTime {
        guard let offset = offset.withLock({ $0 }) else { return ambient.now() }
        return UnixTime(rawValue: offset + ambient.uptime())
    }
}
