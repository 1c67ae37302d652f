public import KeyturnBase
public import KeyturnJose

/// The public keys of another issuer, or of a client. How they come here is not a matter of these rules.
public protocol ForeignKeys: Sendable {
    /// The keys that may have signed a token with this header, each bound to the header's algorithm; none if the issuer
    /// has no such key.
    ///
    /// - Throws: ``ForeignKeysUnavailable`` if nobody can tell now.
    func candidates(for header: JWSHeader, at now: UnixTime) async throws(ForeignKeysUnavailable) -> [VerificationKey]
}

/// Somebody else's keys could not be fetched.
public struct ForeignKeysUnavailable: Error {
    public init() {}
}

/// Keys that were written down where they are needed.
public struct WrittenKeys: ForeignKeys {
    private let set: JSONWebKeySet

    public init(_ set: JSONWebKeySet) {
        self.set = set
    }

    public func candidates(for header: JWSHeader, at now: UnixTime) -> [VerificationKey] {
        set.candidates(for: header)
    }
}

/// Fetches key sets by address. How is not a matter of these rules.
public protocol ForeignKeyClient: Sendable {
    /// The keys at an address. Nothing is fetched before one is needed.
    func keys(at uri: String) -> any ForeignKeys
}

/// For a server that fetches nothing: no key of anybody's is there.
public struct NoForeignKeys: ForeignKeyClient, ForeignKeys {
    public init() {}

    public func keys(at uri: String) -> any ForeignKeys { self }

    public func candidates(for header: JWSHeader, at now: UnixTime) throws(ForeignKeysUnavailable) -> [VerificationKey]
    {
        throw ForeignKeysUnavailable()
    }
}
