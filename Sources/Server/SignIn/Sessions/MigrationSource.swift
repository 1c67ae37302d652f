public import OAuth

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
    public let keys: any RemoteJWKS

    public init(issuer: String, audience: String, subject: Subject, keys: any RemoteJWKS) {
        precondition(!issuer.isEmpty && !audience.isEmpty, "issuer and audience must be given")
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.keys = keys
    }
}
