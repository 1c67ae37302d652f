public import KeyturnBase

/// One charge on one rate limit.
public struct RateLimitCharge: Hashable, Sendable {
    public let key: String
    /// Charges allowed within a window.
    public let max: Int64
    /// How long a window lasts from its first charge, in seconds.
    public let windowSeconds: Int64
    /// The charge is waived if this key of ``AttemptStore`` is one from which a good attempt came.
    public let unlessKnown: String?
    /// 1; or 0 to check whether one more is allowed.
    public let cost: Int64

    public init(_ key: String, max: Int64, windowSeconds: Int64, unlessKnown: String? = nil, cost: Int64 = 1) {
        precondition(cost == 0 || cost == 1, "one spending, or a look")
        self.key = key
        self.max = max
        self.windowSeconds = windowSeconds
        self.unlessKnown = unlessKnown
        self.cost = cost
    }
}

/// Rate limits, for messages that cost money or annoy users.
public protocol RateLimitStore: Sendable {
    /// Charges every rate limit, in order, until one is exhausted. One transaction, so that parallel requests are
    /// counted separately.
    ///
    /// - Returns: `nil` if all allowed it; otherwise when the exhausted one allows it again.
    func spend(_ charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError) -> UnixTime?

    /// Takes one charge back from each rate limit.
    func refund(_ keys: [String], at now: UnixTime) async throws(StoreError)

    /// Resets these rate limits to no charges.
    func clear(_ keys: [String]) async throws(StoreError)
}
