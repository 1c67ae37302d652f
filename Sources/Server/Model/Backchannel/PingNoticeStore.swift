public import KeyturnBase

/// Notifications of decisions that wait to be delivered to clients in ping mode (OpenID Connect CIBA Core §10.2).
///
/// The store of requests adds them, in the transaction of the decision. A notice is claimed under a lease, like a
/// message: see ``MessageStore``.
public protocol PingNoticeStore: Sendable {
    /// Whether anything is due. One indexed read.
    func hasDue(at now: UnixTime) async throws(StoreError) -> Bool

    /// Claims notices that are due, those with the fewest attempts first, in one guarded statement: of any number of
    /// callers, one gets each notice. They are due again when the lease is over.
    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [PingNoticeClaim]

    /// Removes a claimed notice that was delivered or given up.
    ///
    /// - Returns: `false` if the claim is over.
    func remove(_ claim: PingNoticeClaim) async throws(StoreError) -> Bool

    /// Returns a claimed notice to the queue, to be tried again at `due`.
    ///
    /// - Returns: `false` if the claim is over.
    func postpone(_ claim: PingNoticeClaim, until due: UnixTime) async throws(StoreError) -> Bool

    /// The oldest notices, at most `limit`.
    func waiting(limit: Int) async throws(StoreError) -> [PingNotice]
}

/// Tells a client in ping mode that a request was decided.
public struct PingNotice: Hashable, Sendable {
    public let number: Int64
    public let clientID: String
    /// The request that was decided: the context of ``sealed``.
    public let requestID: SecretDigest
    /// `auth_req_id` and the client's notification token.
    public let sealed: [UInt8]
    /// After this the client could not redeem the request any more.
    public let expiresAt: UnixTime

    public init(
        number: Int64, clientID: String, requestID: SecretDigest, sealed: [UInt8], expiresAt: UnixTime
    ) {
        self.number = number
        self.clientID = clientID
        self.requestID = requestID
        self.sealed = sealed
        self.expiresAt = expiresAt
    }
}

/// A notice that is being delivered, for as long as the lease lasts.
public struct PingNoticeClaim: Hashable, Sendable {
    public let notice: PingNotice
    /// The number of this claim of the notice, from 1. A later claim ends an earlier one.
    public let attempt: Int64

    public init(notice: PingNotice, attempt: Int64) {
        self.notice = notice
        self.attempt = attempt
    }
}
