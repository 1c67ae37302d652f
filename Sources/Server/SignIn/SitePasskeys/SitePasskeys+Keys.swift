public import KeyturnBase
public import Model

/// Whose backend calls.
extension SitePasskeys {
    /// The relying party whose backends use this secret key. Wrong keys are counted for each network.
    ///
    /// - Throws: ``SiteProblem/secretKeyUnknown``; ``SiteProblem/tooManyRequests(retryAfterSeconds:)``; ``StoreError``.
    public func party(
        secretKey key: Secret, among parties: RelyingParties, from address: NetworkAddress?
    ) async throws -> RelyingParty {
        let now = ambient.now()
        try limits.checkNetwork(of: address, at: now)
        if let party = parties.party(secretKey: key) { return party }
        try await limits.countWrongKey(key, from: address, at: now)
        throw SiteProblem.secretKeyUnknown
    }
}
