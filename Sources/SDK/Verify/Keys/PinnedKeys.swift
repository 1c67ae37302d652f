public import KeyturnBase
public import KeyturnJose

/// Keys that are known beforehand and never change: for tests, and for issuers without a network.
public struct PinnedKeys: KeySource, SharedKeySource {
    private let table: KeyTable

    /// Keys for signatures; others in the set are left out.
    ///
    /// - Throws: `protocol.violation` if the set holds more than ``VerifyLimits/keySetMembers``.
    public init(_ keys: JSONWebKeySet) throws(AuthError) {
        table = try KeyTable(keys)
    }

    /// The keys in a key set document (RFC 7517 §5).
    ///
    /// - Throws: `protocol.violation` if it cannot be read or is too large.
    public init(parsing document: [UInt8]) throws(AuthError) {
        table = try KeyTable(parsing: document)
    }

    public func open(_ jws: UnverifiedJWS, at now: UnixTime) async throws(AuthError) -> VerifiedJWS {
        try opened(jws, for: nil)
    }

    package func open(
        _ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool, issuer: String
    ) async throws(AuthError) -> VerifiedJWS {
        try opened(jws, for: issuer)
    }

    private func opened(_ jws: UnverifiedJWS, for issuer: String?) throws(AuthError) -> VerifiedJWS {
        let candidates = table.candidates(for: jws)
        guard !candidates.keys.isEmpty else { throw table.refusal(of: jws) }
        return try jws.open(withAnyOf: candidates, for: issuer)
    }
}
