public import KeyturnBase
public import KeyturnJose

/// The public keys of another issuer, or of a client. How they come here is not a matter of these rules.
public protocol RemoteJWKS: Sendable {
    /// The keys that may have signed a token with this header, each bound to the header's algorithm; none if the issuer
    /// has no such key.
    ///
    /// - Throws: ``ForeignKeysUnavailable`` if nobody can tell now.
    func candidates(for header: JWSHeader, at now: UnixTime) async throws(RemoteJWKSUnavailable) -> [VerificationKey]
}

/// Somebody else's keys could not be fetched.
public struct RemoteJWKSUnavailable: Error {
    public init() {}
}

/// Keys that were written down where they are needed.
public struct StaticJWKS: RemoteJWKS {
    private let set: JSONWebKeySet

    public init(_ set: JSONWebKeySet) {
        self.set = set
    }

    public func candidates(for header: JWSHeader, at now: UnixTime) -> [VerificationKey] {
        set.candidates(for: header)
    }
}

/// Fetches key sets by address. How is not a matter of these rules.
public protocol RemoteJWKSClient: Sendable {
    /// The keys at an address. Nothing is fetched before one is needed.
    func keys(at uri: String) -> any RemoteJWKS
}

/// For a server that fetches nothing: no key of anybody's is there.
public struct NoRemoteJWKS: RemoteJWKSClient, RemoteJWKS {
    public init() {}

    public func keys(at uri: String) -> any RemoteJWKS { self }

    public func candidates(for header: JWSHeader, at now: UnixTime) throws(RemoteJWKSUnavailable) -> [VerificationKey] {
        throw RemoteJWKSUnavailable()
    }
}
