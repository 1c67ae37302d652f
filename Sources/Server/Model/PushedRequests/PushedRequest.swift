public import KeyturnBase
internal import KeyturnWire

/// An authorization request that its client handed in beforehand (RFC 9126), checked, and waiting for a browser.
public struct PushedRequest: Hashable, Sendable {
    /// Of the whole `request_uri`: whoever reads the store cannot begin a sign-in with it.
    public let digest: SecretDigest
    public let clientID: String
    /// The parameters that count, as a form: what a request object said, and the key that a proof named.
    public let parameters: String
    /// Until then a browser may come with it. Whoever came may take as long as any journey.
    public let expiresAt: UnixTime

    public init(digest: SecretDigest, clientID: String, parameters: String, expiresAt: UnixTime) {
        self.digest = digest
        self.clientID = clientID
        self.parameters = parameters
        self.expiresAt = expiresAt
    }
}
