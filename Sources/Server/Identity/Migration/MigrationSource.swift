public import KeyturnBase
public import KeyturnJose

/// Another service whose users are at home here by now: a token of theirs is exchanged for a session, once.
public struct MigrationSource: Sendable {
    /// How somebody in such a token is found here.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// By their `sub`, which is the identifier that they have here.
        case sub
        /// By their `email`, if the issuer says that it is verified, and it is verified here as well.
        case email
    }

    /// Who must have issued the token (`iss`), character by character.
    public let issuer: String
    /// For whom it must have been issued (`aud`).
    public let audience: String
    public let subject: Subject
    public let keys: any ForeignKeys

    public init(issuer: String, audience: String, subject: Subject, keys: any ForeignKeys) {
        precondition(!issuer.isEmpty && !audience.isEmpty, "issuer and audience must be given")
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.keys = keys
    }
}

/// Another issuer's public keys. How they come here is not a matter of these rules.
public protocol ForeignKeys: Sendable {
    /// The keys that may have signed a token with this header, each bound to the header's algorithm; none if the issuer
    /// has no such key.
    ///
    /// - Throws: ``ForeignKeysUnavailable`` if nobody can tell now.
    func candidates(for header: JWSHeader, at now: UnixTime) async throws(ForeignKeysUnavailable) -> [VerificationKey]
}

/// Another issuer's keys could not be fetched.
public struct ForeignKeysUnavailable: Error {
    public init() {}
}

/// Keys that the operator wrote down.
public struct WrittenKeys: ForeignKeys {
    private let set: JSONWebKeySet

    public init(_ set: JSONWebKeySet) {
        self.set = set
    }

    public func candidates(for header: JWSHeader, at now: UnixTime) -> [VerificationKey] {
        set.candidates(for: header)
    }
}
