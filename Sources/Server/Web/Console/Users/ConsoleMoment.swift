internal import KeyturnBase
internal import Model

/// A moment on a page: how long ago it was, and its exact time.
struct ConsoleMoment: Sendable {
    let time: UnixTime
    let now: UnixTime

    /// The values for `consoleMoment.mustache`.
    func values(_ strings: Strings) -> [String: Any] {
        let exact = time.minuteText
        return [
            "since": strings.time.since(Int(max(0, now.seconds(since: time)))), "exact": exact,
            "machine": "\(exact.prefix(10))T\(exact.dropFirst(11).prefix(5))Z",
        ]
    }
}
