public import Model

/// A client that authenticated with its registered method, which may be `none`.
///
/// Only ``ClientAuthenticator`` makes one: what takes it cannot be called with a client that was merely looked up.
public struct AuthenticatedClient: Sendable {
    public let client: Client

    init(_ client: Client) {
        self.client = client
    }
}
