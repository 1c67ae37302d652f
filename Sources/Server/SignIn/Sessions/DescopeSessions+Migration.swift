public import KeyturnBase
public import KeyturnWire
public import Model

/// Sessions of other services that are exchanged for sessions here.
extension DescopeSessions {
    /// Exchanges a session of another service for one of ours, once. Only issuers that the operator named are trusted.
    ///
    /// - Throws: ``MethodProblem/invalidRequest``, which says why the token is refused; ``MethodProblem/unavailable``
    ///   if its issuer's keys cannot be fetched; ``StoreError``.
    public func migrate(_ externalToken: Secret, from address: NetworkAddress?) async throws -> SessionAnswer {
        // Before the token is used up, not after.
        try await tokens.requireKey()
        let proof = try await migration.identify(externalToken, from: address)
        return try await open(proof, options: .none, presented: nil, isMoved: true, from: address)
    }
}
