public import KeyturnBase
public import Model

/// Whose consent to which client.
public struct ConsentKey: Hashable, Sendable {
    public let userID: UserID
    public let clientID: String
}

/// What a user allowed a client, and when it was allowed first.
public struct ConsentRow: Hashable, Sendable {
    public var scopes: [String: UnixTime] = [:]
    public var claims: [String: UnixTime] = [:]
    public var resources: [String: UnixTime] = [:]
    /// The registered redirect URIs that the user saw when they agreed.
    public var redirectURIs: [String: UnixTime] = [:]

    /// What is left of it without what was allowed from a time on.
    func before(_ time: UnixTime) -> ConsentRow {
        ConsentRow(
            scopes: scopes.filter { $0.value < time }, claims: claims.filter { $0.value < time },
            resources: resources.filter { $0.value < time },
            redirectURIs: redirectURIs.filter { $0.value < time })
    }
}
