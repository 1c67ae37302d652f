internal import Crypto
public import KeyturnBase

/// The mark of something single-use that was used: the store inserts it, so that a second use is refused.
public struct ReplayMark: Hashable, Sendable {
    /// 32 bytes.
    public let digest: [UInt8]
    /// Not needed afterwards.
    public let expiresAt: UnixTime

    /// - Parameter digest: 32 bytes, of another mark.
    public init(digest: [UInt8], expiresAt: UnixTime) {
        self.digest = digest
        self.expiresAt = expiresAt
    }

    /// - Parameter text: a challenge or a token.
    public init(of text: [UInt8], expiresAt: UnixTime) {
        digest = Array(SHA256.hash(data: text))
        self.expiresAt = expiresAt
    }

    /// The `jti` of a statement that a client signed.
    ///
    /// - Parameter kind: keeps different uses apart.
    public init(jti: String, of clientID: String, kind: String, expiresAt: UnixTime) {
        // Lengths first, so that no two inputs give the same text.
        let text = "\(kind)\u{0}\(clientID.utf8.count):\(clientID)\(jti)"
        self.init(of: Array(text.utf8), expiresAt: expiresAt)
    }
}

/// Used challenges, and used statements that clients signed.
public protocol ReplayStore: Sendable {
    /// Inserts the mark, in one guarded statement: of any number of concurrent calls one gets `true`.
    ///
    /// - Returns: `false` if it was used before.
    @discardableResult
    func spend(_ mark: ReplayMark) async throws(StoreError) -> Bool

    /// Inserts the mark without waiting for another machine: a database that dies may lose it.
    ///
    /// - Parameter attempt: random bytes of this use: the store may try again after a lost connection, and finds out by
    ///   them that the mark is its own.
    /// - Returns: `false` if it was used before.
    func spend(_ mark: ReplayMark, attempt: [UInt8]) async throws(StoreError) -> Bool
}
