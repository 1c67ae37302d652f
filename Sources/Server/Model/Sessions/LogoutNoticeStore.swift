public import KeyturnBase

/// Logout notices that wait to be delivered (OpenID Connect Back-Channel Logout §2.5).
///
/// The stores that end sessions add the notices, in the same transaction. A notice is claimed under a lease, like a
/// message: see ``MessageStore``.
public protocol LogoutNoticeStore: Sendable {
    /// Whether anything is due. One indexed read.
    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool

    /// Claims notices that are due, those with the fewest attempts first, in one guarded statement: of any number of
    /// callers, one gets each notice. They are due again when the lease is over.
    ///
    /// - Parameters:
    ///   - limit: How many at most.
    ///   - ofClientMax: How many of one client at most.
    ///   - clients: None of these clients'.
    func claim(
        limit: Int, ofClientMax: Int, except clients: Set<String>, leaseSeconds: Int64, at now: UnixTime
    ) async throws(StoreError) -> [LogoutNoticeClaim]

    /// Removes a claimed notice that was delivered or given up.
    ///
    /// - Returns: `false` if the claim is over, or the session ended once more since: then the notice is due anew.
    func remove(_ claim: LogoutNoticeClaim) async throws(StoreError) -> Bool

    /// Returns a claimed notice to the queue, to be tried again at `due`.
    ///
    /// - Returns: `false` if the claim is over.
    func postpone(_ claim: LogoutNoticeClaim, until due: UnixTime) async throws(StoreError) -> Bool

    /// The oldest notices, at most `limit`.
    func waiting(limit: Int) async throws(StoreError) -> [LogoutNotice]
}

extension LogoutNoticeStore {
    /// Claims notices of any clients.
    public func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError)
        -> [LogoutNoticeClaim]
    {
        try await claim(limit: limit, ofClientMax: limit, except: [], leaseSeconds: leaseSeconds, at: now)
    }
}

/// Tells a relying party that a session is over. Holds no secret: the logout token is signed when it is sent.
public struct LogoutNotice: Hashable, Sendable {
    public let number: Int64
    public let clientID: String
    public let userID: UserID
    public let sessionID: SessionID
    /// When the session ended; the last time, if it did so several times.
    public let createdAt: UnixTime

    public init(number: Int64, clientID: String, userID: UserID, sessionID: SessionID, createdAt: UnixTime) {
        self.number = number
        self.clientID = clientID
        self.userID = userID
        self.sessionID = sessionID
        self.createdAt = createdAt
    }
}

/// A notice that is being delivered, for as long as the lease lasts.
public struct LogoutNoticeClaim: Hashable, Sendable {
    public let notice: LogoutNotice
    /// The number of this claim of the notice, from 1. A later claim ends an earlier one.
    public let attempt: Int64

    public init(notice: LogoutNotice, attempt: Int64) {
        self.notice = notice
        self.attempt = attempt
    }
}
