public import Model

/// A client that proved who it is in the way it registered, or that registered to prove nothing.
///
/// ``ClientAuthenticator`` alone makes one: what takes it cannot be called with a client that was merely looked up.
public struct AuthenticatedClient: Sendable {
    public let client: Client

    init(_ client: Client) {
        self.client = client
    }
}
