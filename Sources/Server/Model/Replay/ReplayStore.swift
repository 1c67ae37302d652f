internal import Crypto
public import KeyturnBase

/// Something that may be used once and was used: what the store inserts, so that it is not used again.
public struct ReplayMark: Hashable, Sendable {
    /// 32 bytes.
    public let digest: [UInt8]
    /// Afterwards nothing is left to be spent.
    public let expiresAt: UnixTime

    /// - Parameter text: a challenge or a token.
    public init(of text: [UInt8], expiresAt: UnixTime) {
        digest = Array(SHA256.hash(data: text))
        self.expiresAt = expiresAt
    }

    /// The `jti` of a statement that a client signed.
    ///
    /// - Parameter kind: keeps different uses apart.
    public init(jti: String, of clientID: String, kind: String, expiresAt: UnixTime) {
        // Lengths first: no two of them can be written alike.
        let text = "\(kind)\u{0}\(clientID.utf8.count):\(clientID)\(jti)"
        self.init(of: Array(text.utf8), expiresAt: expiresAt)
    }
}

/// What was used and may not be used again: challenges, and statements that clients signed.
public protocol ReplayStore: Sendable {
    /// Spends it, in one guarded insert: of any number of concurrent calls one gets `true`.
    ///
    /// - Returns: `false` if it was spent before.
    @discardableResult
    func spend(_ mark: ReplayMark) async throws(StoreError) -> Bool
}
