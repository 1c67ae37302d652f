public import KeyturnBase
public import KeyturnJose

/// The public keys of another issuer, or of a client, however they are fetched.
public protocol RemoteJWKS: Sendable {
    /// The keys that may have signed a token with this header, each bound to the header's algorithm; none if the issuer
    /// has no such key.
    ///
    /// - Throws: ``RemoteJWKSUnavailable`` if the keys are not available now.
    func candidates(for header: JWSHeader, at now: UnixTime) async throws(RemoteJWKSUnavailable) -> [VerificationKey]
}

/// Another party's keys could not be fetched.
public struct RemoteJWKSUnavailable: Error {
    public init() {}
}

/// Keys that are given directly.
public struct StaticJWKS: RemoteJWKS {
    private let set: JSONWebKeySet

    public init(_ set: JSONWebKeySet) {
        self.set = set
    }

    public func candidates(for header: JWSHeader, at now: UnixTime) -> [VerificationKey] {
        set.candidates(for: header)
    }
}

/// Fetches key sets by address.
public protocol RemoteJWKSClient: Sendable {
    /// The keys at an address. Nothing is fetched before one is needed.
    func keys(at uri: String) -> any RemoteJWKS
}

/// For a server that fetches nothing: no keys.
public struct NoRemoteJWKS: RemoteJWKSClient, RemoteJWKS {
    public init() {}

    public func keys(at uri: String) -> any RemoteJWKS { self }

    public func candidates(for header: JWSHeader, at now: UnixTime) throws(RemoteJWKSUnavailable) -> [VerificationKey] {
        throw RemoteJWKSUnavailable()
    }
}
