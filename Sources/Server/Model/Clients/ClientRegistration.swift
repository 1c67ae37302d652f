public import KeyturnBase
public import KeyturnWire

/// That a client registered itself (RFC 7591): nobody has looked at what it says.
public struct ClientRegistration: Hashable, Sendable {
    /// Of its registration access token, with which it looks after its own entry (RFC 7592 §3).
    public let tokenDigest: SecretDigest
    public let registeredAt: UnixTime

    public init(tokenDigest: SecretDigest, registeredAt: UnixTime) {
        self.tokenDigest = tokenDigest
        self.registeredAt = registeredAt
    }
}

/// What the operator decided about clients that register themselves.
public struct RegistrationSettings: Sendable {
    /// What a client must show to register (RFC 7591 §3); empty: anybody may.
    public let initialAccessTokens: [SecretDigest]
    /// What such a client may ask people for, at most.
    public let scope: Scope
    /// How many such clients there may be.
    public let clientsMax: Int
    /// Whether ``Client/strictAssertions`` holds for each of them.
    public let strictAssertions: Bool

    /// - Parameter clientsMax: 1 or more.
    public init(
        initialAccessTokens: [SecretDigest] = [], scope: Scope = Scope(names: Scope.standard),
        clientsMax: Int = 1_000, strictAssertions: Bool = false
    ) {
        precondition(clientsMax > 0, "room for one client")
        self.initialAccessTokens = initialAccessTokens
        self.scope = scope
        self.clientsMax = clientsMax
        self.strictAssertions = strictAssertions
    }
}

extension Client {
    /// A client that registered itself, within what the operator allows such clients now: an earlier registration does not
    /// outlive a change of the settings.
    package func within(_ settings: RegistrationSettings) -> Client {
        guard isUnverified else { return self }
        var metadata = metadata
        metadata.scope = (scope ?? settings.scope).intersection(settings.scope).text
        return Client(
            id: id, metadata: metadata, secretDigests: secretDigests, strictAssertions: settings.strictAssertions,
            registration: registration)
    }
}
