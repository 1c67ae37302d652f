internal import KeyturnBase

/// When a request is made again, and after how long.
///
/// **The API.** Made again after 429 and 503, after 202 with `Retry-After`, and, if the method is one that may be
/// repeated (`GET`, `HEAD`, `PUT`, `DELETE`, `OPTIONS`; RFC 9110 §9.2.2), also after every other 5xx and after no answer
/// at all. A `POST` or `PATCH` that may have been acted on is not, unless ``repeatsUnsafeMethods`` says so.
///
/// **Tokens.** A request that consumes nothing is made again after 429, 5xx and no answer: client credentials,
/// assertions (each time a new one, with a `jti` of its own), exchanges and revocations. A request that spends something
/// is not, because its answer may have been acted on and lost: a code is redeemed again only after 408, 425 or 429, which
/// say that the server did nothing; so is a refresh token, unless the service promises to answer it with the same
/// successor (``ServiceConfiguration/refreshConverges``).
///
/// The pause before retry *n*, counted from 0, is 2ⁿ times ``baseMilliseconds``, give or take half, at most
/// ``delayMaxMilliseconds``. What the service asks for in `Retry-After`, in seconds or as a date, takes its place.
public struct RetryPolicy: Hashable, Sendable {
    /// How often one request is made again; 0…20.
    public var retriesMax: Int
    /// How often of these because there was no answer.
    public var networkRetriesMax: Int
    /// The first pause, in milliseconds.
    public var baseMilliseconds: Int64
    /// The longest pause of one's own choice, in milliseconds.
    public var delayMaxMilliseconds: Int64
    /// The longest pause that the service may ask for, in seconds. Where it asks for more, its answer is handed on.
    public var retryAfterMaxSeconds: Int
    /// Whether a `POST` or `PATCH` is made again although it may have been acted on.
    public var repeatsUnsafeMethods: Bool

    /// The default: five times, two of them without an answer, about half a minute in all.
    public init(
        retriesMax: Int = 5, networkRetriesMax: Int = 2, baseMilliseconds: Int64 = 1_000,
        delayMaxMilliseconds: Int64 = 30_000, retryAfterMaxSeconds: Int = 120, repeatsUnsafeMethods: Bool = false
    ) {
        precondition((0...20).contains(retriesMax) && networkRetriesMax >= 0, "a request is repeated 0...20 times")
        precondition(baseMilliseconds >= 0 && delayMaxMilliseconds >= 0, "a pause is not negative")
        self.retriesMax = retriesMax
        self.networkRetriesMax = networkRetriesMax
        self.baseMilliseconds = baseMilliseconds
        self.delayMaxMilliseconds = delayMaxMilliseconds
        self.retryAfterMaxSeconds = retryAfterMaxSeconds
        self.repeatsUnsafeMethods = repeatsUnsafeMethods
    }

    /// No request is made twice.
    public static let none = RetryPolicy(retriesMax: 0)
}

/// How often one request has been made again.
struct RetryCount {
    private var all = 0
    private var unanswered = 0

    /// The pause before the next retry; `nil`: there is none.
    ///
    /// - Parameters:
    ///   - isUnanswered: Whether there was no answer.
    ///   - retryAfterSeconds: What the service asked for.
    mutating func pause(
        _ policy: RetryPolicy, isUnanswered: Bool, retryAfterSeconds: Int?, ambient: Ambient
    ) -> Duration? {
        guard all < policy.retriesMax, !isUnanswered || unanswered < policy.networkRetriesMax,
            retryAfterSeconds ?? 0 <= policy.retryAfterMaxSeconds
        else { return nil }
        let random = ambient.randomBytes(2).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        defer {
            all += 1
            if isUnanswered { unanswered += 1 }
        }
        if let retryAfterSeconds {
            // Never earlier than asked for, and not everybody at the same moment.
            return .milliseconds(Int64(retryAfterSeconds) * 1_000 + random * 250 / 65_535)
        }
        let usual = min(policy.delayMaxMilliseconds, policy.baseMilliseconds << Int64(all))
        return .milliseconds(min(policy.delayMaxMilliseconds, usual / 2 + usual * random / 65_535))
    }
}
