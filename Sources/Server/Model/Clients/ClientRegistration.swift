public import KeyturnBase
public import KeyturnWire

/// A client's own registration (RFC 7591): the operator has not checked it.
public struct ClientRegistration: Hashable, Sendable {
    /// Digest of its registration access token, with which it manages its entry (RFC 7592 §3).
    public let tokenDigest: SecretDigest
    public let registeredAt: UnixTime

    public init(tokenDigest: SecretDigest, registeredAt: UnixTime) {
        self.tokenDigest = tokenDigest
        self.registeredAt = registeredAt
    }
}

/// The operator's settings for clients that register themselves.
public struct RegistrationSettings: Sendable {
    /// What a client must present to register (RFC 7591 §3); empty: any client may register.
    public let initialAccessTokens: [SecretDigest]
    /// The most such a client may ask users for.
    public let scope: Scope
    /// How many such clients may exist.
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
    /// A self-registered client, cut down to what the operator allows such clients now: an earlier registration does
    /// not outlive a change of the settings.
    package func within(_ settings: RegistrationSettings) -> Client {
        guard isUnverified else { return self }
        var metadata = metadata
        // The operator's word, which no such client has.
        (metadata.idTokenClaims, metadata.userinfoClaims, metadata.unverifiedContacts) = (nil, nil, nil)
        metadata.scope = (scope ?? settings.scope).intersection(settings.scope).text
        return Client(
            id: id, metadata: metadata, secretDigests: secretDigests, strictAssertions: settings.strictAssertions,
            registration: registration)
    }
}
