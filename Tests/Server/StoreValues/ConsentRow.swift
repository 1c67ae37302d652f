public import Model

/// Whose consent to which client.
public struct ConsentKey: Hashable, Sendable {
    public let userID: UserID
    public let clientID: String
}

/// What a user allowed a client.
public struct ConsentRow: Hashable, Sendable {
    public var scopes: Set<String> = []
    public var claims: Set<String> = []
    /// The registered redirect URIs that the user saw when they agreed.
    public var redirectURIs: Set<String> = []
}
