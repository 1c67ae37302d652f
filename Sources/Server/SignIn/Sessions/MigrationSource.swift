public import OAuth

/// Another service whose users have moved to this server: their tokens are exchanged for sessions, once each.
public struct MigrationSource: Sendable {
    /// How the user of such a token is found here.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        /// By `sub`, which is the user's identifier here.
        case sub
        /// By `email`, if the issuer says that it is verified, and it is verified here as well.
        case email
    }

    /// Who must have issued the token (`iss`), character by character.
    public let issuer: String
    /// The audience that it must have been issued for (`aud`).
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
