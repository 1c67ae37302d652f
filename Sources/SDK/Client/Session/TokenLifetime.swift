internal import KeyturnBase

/// How long an access token is good for, by the clock that never goes back.
///
/// The wall clock is asked once, when the token is taken up. Setting it afterwards, by a minute or by a year,
/// changes nothing.
struct TokenLifetime: Hashable, Sendable {
    /// In uptime seconds; `nil`: the server did not say.
    private let endsAt: Int64?
    let lifetimeSeconds: Int64
    /// Whether it is renewed a minute before its end, however long it lives.
    private let isPlainMinute: Bool
    /// Whether the wall clock stood before the token's arrival, so that it is unknown how much of it was left.
    let isInDoubt: Bool

    static let unknown = TokenLifetime(endsAt: nil, lifetimeSeconds: 0, isInDoubt: false)

    private init(endsAt: Int64?, lifetimeSeconds: Int64, isInDoubt: Bool) {
        self.endsAt = endsAt
        self.lifetimeSeconds = lifetimeSeconds
        isPlainMinute = false
        self.isInDoubt = isInDoubt
    }

    init(of record: SessionRecord, at now: Moment) {
        guard let expiresAt = record.expiresAt, let lifetime = record.lifetimeSeconds else {
            self = .unknown
            return
        }
        let remaining = min(max(0, expiresAt.seconds(since: now.wall)), lifetime)
        endsAt = now.uptime + remaining
        lifetimeSeconds = lifetime
        isPlainMinute = record.client.kind == .tim
        isInDoubt = now.wall + Limits.clockBackSeconds < record.obtainedAt
    }

    /// Never negative; `nil` when the server did not say.
    func remainingSeconds(at now: Moment) -> Int64? {
        endsAt.map { max(0, $0 - now.uptime) }
    }

    func isOver(at now: Moment) -> Bool {
        remainingSeconds(at: now) == 0
    }

    /// From so many seconds before its end a token is renewed without need: a tenth of its lifetime, or a minute if
    /// that is more, but never more than half. Trifork's clients know the minute alone.
    var aheadSeconds: Int64 {
        let ahead = isPlainMinute ? 0 : lifetimeSeconds / 10
        return min(max(Limits.renewAheadSeconds, ahead), lifetimeSeconds / 2)
    }

    func cached(_ record: SessionRecord) -> CachedToken {
        CachedToken(
            text: record.accessToken, lifetimeSeconds: lifetimeSeconds, endsAt: endsAt ?? .max,
            renewsAt: endsAt.map { $0 - aheadSeconds } ?? .max)
    }
}

/// An access token with everything that must hold for it to be handed out at once.
struct CachedToken: Hashable, Sendable {
    let text: String
    let lifetimeSeconds: Int64
    /// When it runs out, in uptime seconds.
    let endsAt: Int64
    /// From when on it should be renewed, in uptime seconds.
    let renewsAt: Int64

    /// Whether it is good for `minimumSeconds` more, and not due for renewal.
    func isGood(minimumSeconds: Int64, at uptime: Int64) -> Bool {
        uptime < renewsAt && minimumSeconds <= promises(at: uptime)
    }

    /// For how many seconds it may be promised. No caller is promised more than nine tenths of a lifetime, and who asks
    /// for more gets that.
    func promises(at uptime: Int64) -> Int64 {
        guard endsAt != .max else { return .max }
        let remaining = endsAt - uptime
        return remaining >= lifetimeSeconds / 10 * 9 ? .max : remaining
    }
}
