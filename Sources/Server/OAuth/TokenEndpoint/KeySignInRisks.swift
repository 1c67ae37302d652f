public import KeyturnBase
public import Model

/// What is unusual about a sign-in with a key that a device keeps. It needs no page.
public protocol KeySignInRisks: Sendable {
    /// Judges a sign-in, remembers where it came from, and tells the user if it is unusual.
    ///
    /// - Parameter key: the key's identifier.
    func signedIn(
        _ user: UserID, _ facts: AuthenticationFacts, byKey key: String, from origin: SessionOrigin, at now: UnixTime
    ) async throws(StoreError) -> Set<RiskSignal>
}
