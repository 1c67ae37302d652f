public import KeyturnBase

/// What ends when a user's sessions are revoked: the rule, which every store carries out in one transaction.
public struct RevocationScope: Hashable, Sendable {
    /// One kind of thing that a session is, or could still become one.
    public enum Part: Hashable, Sendable, CaseIterable {
        /// The removal of a lost second factor that was begun.
        case recovery
        /// One-time codes on their way (ASVS V6.4.3).
        case oneTimeCodes
        /// Authenticators that wait for their first code.
        case unconfirmedAuthenticators
        /// Links on their way, and the sign-ins that wait for one.
        case links
        /// Keys behind fingerprints: an intruder may have added one to come back with.
        case biometricKeys
        /// Sessions of the browser.
        case browserSessions
        /// Grants, with those that came of them, and a logout notice to each client that wants one.
        case grants
    }

    public let reason: Grant.EndReason
    public let now: UnixTime
    /// What ends, in this order. The user's epoch is raised in any case, so that what is being checked at this moment opens
    /// nothing.
    public let parts: [Part]
    /// A grant that goes on, with the biometric key that it came of.
    public var keptGrant: GrantID?
    /// A browser session that goes on.
    public var keptSession: SessionID?
    /// What an app has of one session, and goes on.
    public var keptApp: SignedInSession?
    /// The reference of a sign-in that goes on waiting for its link.
    public var keptReference: SecretDigest?

    private static let pending: [Part] = [.recovery, .oneTimeCodes, .unconfirmedAuthenticators, .links]

    /// Everything that a user is signed in with, or could become a session.
    public init(_ reason: Grant.EndReason, at now: UnixTime) {
        self.init(reason, at: now, parts: Self.pending + [.biometricKeys, .browserSessions, .grants])
    }

    private init(_ reason: Grant.EndReason, at now: UnixTime, parts: [Part]) {
        self.reason = reason
        self.now = now
        self.parts = parts
    }

    /// What could still become a session. Those that there are go on.
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
