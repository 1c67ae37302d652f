public import Authority
public import KeyturnBase

/// The result of beginning a recovery.
public enum RecoveryBeginning: Hashable, Sendable {
    case begun(Recovery)
    /// One is under way: it stays as it is, and nothing is sent.
    case underWay(Recovery)
    /// One was cancelled less than ``Limits/recoveryPauseSeconds`` ago.
    case paused(until: UnixTime)
    /// Too many were begun.
    case tooMany(until: UnixTime)
    /// The user's epoch has changed, they may not sign in, or there is nothing to remove.
    case overtaken
}

/// The recovery behind a cancelling link.
public enum RecoveryLink: Hashable, Sendable {
    case live(Recovery)
    /// It was cancelled with this link.
    case cancelled
}

/// Removals of lost second factors.
///
/// Messages and audit events are written in the transaction of the change they report: neither is there without the
/// other.
public protocol RecoveryStore: Sendable {
    /// Begins a recovery, unless one is under way. One transaction.
    ///
    /// - Parameters:
    ///   - epoch: the user's ``User/epoch`` when the factors were verified.
    ///   - digest: of the secret in the link that cancels it.
    ///   - charge: charged only for a new one.
    ///   - notices: already sealed, one to every address.
    func begin(
        _ recovery: Recovery, epoch: Int64, cancelledBy digest: SecretDigest, charge: RateLimitCharge,
        notices: [WaitingMessage], event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> RecoveryBeginning

    /// The recovery that is under way or ready. One statement.
    func recovery(of user: UserID, at now: UnixTime) async throws(StoreError) -> Recovery?

    /// The recovery of a link. Changes nothing.
    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> RecoveryLink?

    /// Cancels the recovery of a link in one guarded statement. Another one can begin after
    /// ``Limits/recoveryPauseSeconds``.
    ///
    /// - Returns: whether this call did.
    func cancel(_ digest: SecretDigest, from address: String?, at now: UnixTime) async throws(StoreError) -> Bool

    /// Finishes a recovery that is ready, in one transaction: of any number of concurrent calls one does. The user's
    /// passkeys, authenticators and recovery codes are removed, every session ends, and the epoch is raised.
    ///
    /// - Parameter epoch: the user's ``User/epoch`` when the factors were verified.
    /// - Returns: `false` if there is none, it is not ready, or it is over. Nothing is written then.
    /// - Throws: `forbidden` if the permission no longer holds; `missing` if there is no such user.
    func finish(
        by allowed: consuming Allowed<Acts.RemoveAuthenticator>, epoch: Int64, notices: [WaitingMessage],
        event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> Bool

    /// Addresses of the user that were verified after the account was made, and later than `since`.
    func addresses(of user: UserID, provedAfter since: UnixTime) async throws(StoreError) -> Set<Identifier>
}
