public import KeyturnBase

/// The result of a user's decision about a device.
public enum DeviceDecision: Hashable, Sendable {
    case made
    /// Already decided; nothing has changed.
    case tooLate
    case expired
    /// The session that it was made in is over; nothing has changed.
    case signedOut
}

/// A poll of a device (RFC 8628 §3.4).
public struct DevicePoll: Hashable, Sendable {
    /// The digest of its code.
    public let id: SecretDigest
    public let clientID: String
    /// The key that the request proved possession of; `nil` if none.
    public let keyThumbprint: String?
    /// Whether the grant is bound to that key: a public client's (RFC 9449 §5).
    public let bindsGrant: Bool
    /// See ``Grant/wantsBearer``.
    public let wantsBearer: Bool

    public init(
        id: SecretDigest, clientID: String, keyThumbprint: String? = nil, bindsGrant: Bool = false,
        wantsBearer: Bool = false
    ) {
        self.id = id
        self.clientID = clientID
        self.keyThumbprint = keyThumbprint
        self.bindsGrant = bindsGrant
        self.wantsBearer = wantsBearer
    }
}

/// The answer to a poll.
public enum DeviceAnswer: Hashable, Sendable {
    /// The code is spent now.
    case granted(Grant)
    /// Spent less than a minute ago, and the new token was never used: the answer may have been lost.
    case repeated(Grant)
    /// Spent before that, or used: nothing has changed.
    case spent(GrantID)
    case pending
    /// Polled too early: the minimum interval is now this one.
    case slowDown(intervalSeconds: Int64)
    case denied
    case expired
    /// The user allowed the device, and was signed out before its next poll.
    case ended
    /// No such code, another client's, or bound to another key: nothing has changed.
    case unknown
}

/// Devices that wait for a decision. The store ensures single use, not the caller.
public protocol DeviceStore: Sendable {
    /// Adds one. One statement.
    ///
    /// - Returns: `false` if the user code is taken; nothing is written then.
    func add(_ authorization: DeviceAuthorization, userCode: SecretDigest) async throws(StoreError) -> Bool

    /// The device of a user code, whatever its state.
    ///
    /// - Parameter userCode: its digest under each secret of the server.
    func authorization(userCode: [SecretDigest]) async throws(StoreError) -> DeviceAuthorization?

    /// The device of a code's digest, whatever its state.
    func authorization(_ id: SecretDigest) async throws(StoreError) -> DeviceAuthorization?

    /// Allows a device, with a grant that comes alive at the next poll, in one transaction: of any number of concurrent
    /// decisions one is made. The session that the grant comes from must be alive.
    func allow(_ id: SecretDigest, _ grant: Grant, at now: UnixTime) async throws(StoreError) -> DeviceDecision

    /// Denies a device. One statement when it succeeds.
    func deny(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> DeviceDecision

    /// Answers a poll, in one transaction: of any number of concurrent polls one gets `.granted`, through one guarded
    /// statement. One statement while there is no decision, two when the device is allowed.
    ///
    /// - Parameter idleSeconds: how long the grant lives from now when unused; never beyond its absolute end.
    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer
}
