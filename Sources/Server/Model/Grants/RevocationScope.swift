public import KeyturnBase

/// What ends when a user's sessions are revoked: the rule that every store applies in one transaction.
public struct RevocationScope: Hashable, Sendable {
    /// A session, or something that could still become one.
    public enum Part: Hashable, Sendable, CaseIterable {
        /// A recovery of a lost second factor that was begun.
        case recovery
        /// One-time codes that were sent (ASVS V6.4.3).
        case oneTimeCodes
        /// Authenticators that wait for their first code.
        case unconfirmedAuthenticators
        /// Links that were sent, and the sign-ins that wait for one.
        case links
        /// Approvals of sign-ins elsewhere that were given and not yet collected.
        case approvals
        /// Biometric keys: an attacker may have added one to come back with.
        case biometricKeys
        /// Sessions of the browser.
        case browserSessions
        /// Grants, with those derived from them, and a logout notice to each client that wants one.
        case grants
    }

    public let reason: Grant.EndReason
    public let now: UnixTime
    /// What ends, in this order. The user's epoch is raised in any case, so that a sign-in in progress opens nothing.
    public let parts: [Part]
    /// A grant that is kept, with the biometric key that opened it.
    public var keptGrant: GrantID?
    /// A browser session that is kept.
    public var keptSession: SessionID?
    /// One app's grants of one session, which are kept.
    public var keptApp: SignedInSession?
    /// The reference of a sign-in that goes on waiting for its link.
    public var keptReference: SecretDigest?

    private static let pending: [Part] = [.recovery, .oneTimeCodes, .unconfirmedAuthenticators, .links, .approvals]

    /// Every session of a user, and everything that could become one.
    public init(_ reason: Grant.EndReason, at now: UnixTime) {
        self.init(reason, at: now, parts: Self.pending + [.biometricKeys, .browserSessions, .grants])
    }

    private init(_ reason: Grant.EndReason, at now: UnixTime, parts: [Part]) {
        self.reason = reason
        self.now = now
        self.parts = parts
    }

    /// Everything that could become a session. Existing sessions are kept.
    public static func pendingOnly(_ reason: Grant.EndReason, at now: UnixTime) -> RevocationScope {
        RevocationScope(reason, at: now, parts: pending)
    }

    /// What a new password ends.
    public init(_ change: PasswordChange, at now: UnixTime) {
        self =
            change.endsSessions
            ? RevocationScope(.credentialChanged, at: now) : .pendingOnly(.credentialChanged, at: now)
        keptGrant = change.keeping
        keptSession = change.keepingSession
        keptApp = change.keepingApp
    }

    /// What a change of a user's status ends; `nil`: nothing.
    public init?(becoming status: User.Status, at now: UnixTime) {
        switch status {
        case .active, .invited: return nil
        case .disabled, .expired: self.init(.userDisabled, at: now)
        }
    }
}
