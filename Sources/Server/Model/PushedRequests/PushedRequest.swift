public import KeyturnBase
internal import KeyturnWire

/// An authorization request that its client pushed (RFC 9126), checked, and waiting for a browser.
public struct PushedRequest: Hashable, Sendable {
    /// Of the whole `request_uri`: a reader of the store cannot begin a sign-in with it.
    public let digest: SecretDigest
    public let clientID: String
    /// The effective parameters, as a form: those of a request object, and the key that a DPoP proof named.
    public let parameters: String
    /// A browser may begin with it until then. The transaction that follows may take its full time.
    public let expiresAt: UnixTime

    public init(digest: SecretDigest, clientID: String, parameters: String, expiresAt: UnixTime) {
        self.digest = digest
        self.clientID = clientID
        self.parameters = parameters
        self.expiresAt = expiresAt
    }
}
