public import KeyturnBase

/// One spending from one purse.
public struct RateLimitCharge: Hashable, Sendable {
    public let key: String
    /// Spendings within a window.
    public let max: Int64
    /// How long a window lasts from its first spending, in seconds.
    public let windowSeconds: Int64
    /// The charge is waived if this key of ``AttemptStore`` is one from which a good attempt came.
    public let unlessKnown: String?
    /// 1; or 0 to look whether one more could be paid.
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

/// What may be spent within a time: messages that cost money or patience.
public protocol RateLimitStore: Sendable {
    /// Spends from every purse, in order, until one is empty. One transaction, so that parallel requests cannot share one
    /// spending.
    ///
    /// - Returns: `nil` if all could pay; otherwise when the empty one is filled again.
    func spend(_ charges: [RateLimitCharge], at now: UnixTime) async throws(StoreError) -> UnixTime?

    /// Gives one spending back to each purse.
    func refund(_ keys: [String], at now: UnixTime) async throws(StoreError)

    /// Empties the accounts of these keys, as if nothing had ever been spent.
    func clear(_ keys: [String]) async throws(StoreError)
}
