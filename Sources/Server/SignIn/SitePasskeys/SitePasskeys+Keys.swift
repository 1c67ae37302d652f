public import KeyturnBase
public import Model

/// Whose backend calls.
extension SitePasskeys {
    /// The relying party whose backends use this secret key: a right one always opens, so that no other program behind
    /// the same address can lock a backend out. Wrong keys are counted for each network.
    ///
    /// - Throws: ``SiteProblem/secretKeyUnknown``; ``SiteProblem/tooManyRequests(retryAfterSeconds:)``; ``StoreError``.
    public func party(
        secretKey key: Secret, among parties: RelyingParties, from address: NetworkAddress?
    ) async throws -> RelyingParty {
        if let party = parties.party(secretKey: key) { return party }
        let now = ambient.now()
        try limits.checkNetwork(of: address, at: now)
        try await limits.countWrongKey(key, from: address, at: now)
        throw SiteProblem.secretKeyUnknown
    }
}
