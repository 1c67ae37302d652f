public import KeyturnBase
public import Model

/// An authenticator app's secret.
public struct AuthenticatorRow: Hashable, Sendable {
    public var stored: StoredTOTP
    public var owner: AuthenticatorOwner
    /// `nil`: it does not expire.
    public var expiresAt: UnixTime?
}

extension StoredTOTP {
    /// As a store keeps it.
    func stored(
        isConfirmed: Bool, usedStep: Int64, facts: VerificationFacts?, begunIn: Session?, at createdAt: UnixTime?
    ) -> StoredTOTP {
        StoredTOTP(
            id: id, sealed: sealed, isConfirmed: isConfirmed, usedStep: usedStep, facts: facts, begunIn: begunIn,
            createdAt: createdAt)
    }
}
