internal import KeyturnBase

/// Tokens in memory, and how long they are good for by the clock that never goes back.
struct HeldTokens: Sendable {
    let tokens: ServiceTokens
    /// In uptime seconds; `nil`: the service did not say, and they are used until a server refuses them.
    private let endsAt: Int64?
    private let lifetimeSeconds: Int64

    /// Takes tokens up.
    init(_ tokens: ServiceTokens, at now: Moment) {
        self.tokens = tokens
        lifetimeSeconds = tokens.lifetimeSeconds ?? 0
        guard let expiresAt = tokens.expiresAt else {
            endsAt = nil
            return
        }
        // Stored by a clock that was ahead of ours: it is unknown how much of them is left.
        let isInDoubt = now.wall + Limits.clockBackSeconds < tokens.obtainedAt
        let remaining = isInDoubt ? 0 : min(max(0, expiresAt.seconds(since: now.wall)), lifetimeSeconds)
        endsAt = now.uptime + remaining
    }

    /// Whether they are good for more than `seconds`. No token is asked for more than half of its life: a short one
    /// would never be good enough.
    func isGood(for seconds: Int64, at now: Moment) -> Bool {
        guard let endsAt else { return true }
        return endsAt - now.uptime > min(seconds, lifetimeSeconds / 2)
    }
}
