internal import KeyturnBase
internal import Model

/// The rate limits of the passkey service for sites.
struct SiteRateLimits: Sendable {
    private let store: any RateLimitStore
    private let refused = RefusedNetworks()

    init(store: any RateLimitStore) {
        self.store = store
    }

    /// Charges for a ceremony that begins. One transaction.
    ///
    /// - Throws: ``SiteProblem/tooManyRequests(retryAfterSeconds:)``; ``StoreError``.
    func chargeCeremony(at party: RelyingParty, from address: NetworkAddress?, at now: UnixTime) async throws {
        let charge = RateLimitCharge(
            "ceremony:\(party.id):\(Self.network(address))", max: Limits.siteCeremoniesPerNetworkMax,
            windowSeconds: Limits.siteCeremonyWindowSeconds)
        guard let openAt = try await store.spend([charge], at: now) else { return }
        throw Self.tooMany(openAt, now)
    }

    /// Refuses the next wrong secret key of a network that sent too many of them. No query.
    func checkNetwork(of address: NetworkAddress?, at now: UnixTime) throws(SiteProblem) {
        guard let openAt = refused.openAt(Self.network(address), at: now) else { return }
        throw Self.tooMany(openAt, now)
    }

    /// Counts a wrong secret key, unless the network sent the same one before. One transaction, or two.
    ///
    /// - Throws: ``SiteProblem/tooManyRequests(retryAfterSeconds:)``; ``StoreError``.
    func countWrongKey(_ key: Secret, from address: NetworkAddress?, at now: UnixTime) async throws {
        let network = Self.network(address)
        let window = Limits.wrongSecretKeyWindowSeconds
        let digest = Base64URL.encode(SecretDigest(of: key).bytes)
        let same = RateLimitCharge("secret-key:\(network):\(digest)", max: 1, windowSeconds: window)
        guard try await store.spend([same], at: now) == nil else { return }
        let all = RateLimitCharge(
            "secret-key:\(network)", max: Limits.wrongSecretKeysPerNetworkMax, windowSeconds: window)
        guard let openAt = try await store.spend([all], at: now) else { return }
        refused.refuse(network, until: openAt, at: now)
        throw Self.tooMany(openAt, now)
    }

    private static func network(_ address: NetworkAddress?) -> String { address?.network ?? "unknown" }

    private static func tooMany(_ openAt: UnixTime, _ now: UnixTime) -> SiteProblem {
        .tooManyRequests(retryAfterSeconds: max(1, openAt.seconds(since: now)))
    }
}
