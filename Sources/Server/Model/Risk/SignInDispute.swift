internal import Foundation
public import KeyturnBase

/// The owner of an account says that a sign-in was not theirs: the content of the link in the message about it.
public struct SignInDispute: Hashable, Sendable {
    /// Of the token: single use is by it.
    public let digest: SecretDigest
    public let userID: UserID
    /// The address that the link was sent to; `nil`: of an earlier release.
    public let recipient: Identifier?
    /// When the session began.
    public let signedInAt: UnixTime
    /// When the sign-in began that led to it: factors may have been added on the way.
    public let startedAt: UnixTime
    /// The link works before this moment.
    public let expiresAt: UnixTime
    /// The domains of tenants that the user has left: addresses there are read by others.
    public var leftDomains: Set<String> = []

    public init(
        digest: SecretDigest, userID: UserID, sentTo recipient: Identifier? = nil, signedInAt: UnixTime,
        startedAt: UnixTime, expiresAt: UnixTime
    ) {
        self.digest = digest
        self.userID = userID
        self.recipient = recipient
        self.signedInAt = signedInAt
        self.startedAt = startedAt
        self.expiresAt = expiresAt
    }

    /// What became of it.
    public enum State: Sendable {
        /// It can be carried out.
        case open
        case carriedOut
        /// The account is gone or has changed hands since, or the address that the link was sent to is not its user's
        /// any more.
        case void
    }
}

/// Makes and reads the tokens of such links. No row is stored before a link is used, and a token outlives its session.
public struct SignInDisputeSeal: Sendable {
    private let seal: Seal

    private struct Content: Codable {
        let user: String
        let at: Int64
        /// `nil`: of an earlier release.
        let from: Int64?
        /// `nil`: of an earlier release.
        let to: Recipient?
    }

    private struct Recipient: Codable {
        let kind: String
        let value: String

        var identifier: Identifier? {
            Identifier.Kind(rawValue: kind).map { Identifier(kind: $0, storedValue: value) }
        }
    }

    public init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .signInDispute, ambient: ambient)
    }

    /// A token for a sign-in, for the reader of one address; two are never equal.
    public func token(
        for user: UserID, sentTo address: Identifier, signedInAt time: UnixTime, startedAt: UnixTime
    ) -> Secret {
        let content = Content(
            user: user.rawValue, at: time.rawValue, from: startedAt.rawValue,
            to: Recipient(kind: address.kind.rawValue, value: address.value))
        let plain = (try? JSONEncoder().encode(content)) ?? Data()
        return Secret(Base64URL.encode(seal.seal(Array(plain))))
    }

    /// - Returns: `nil` if this server did not make it, or it is over.
    public func open(_ token: Secret, at now: UnixTime) -> SignInDispute? {
        let text = token.exposed()
        guard text.utf8.count <= Limits.disputeTokenBytesMax, let sealed = Base64URL.decode(text),
            let plain = seal.open(sealed),
            let content = try? JSONDecoder().decode(Content.self, from: Data(plain))
        else { return nil }
        // One for an address of a kind that this release does not know is none.
        let recipient = content.to?.identifier
        guard content.to == nil || recipient != nil else { return nil }
        let signedInAt = UnixTime(rawValue: content.at)
        let expiresAt = signedInAt + Limits.disputeSeconds
        guard now < expiresAt else { return nil }
        // Of the bytes, because one value has several spellings.
        return SignInDispute(
            digest: SecretDigest(of: Secret("dispute.\(Base64URL.encode(sealed))")),
            userID: UserID(rawValue: content.user), sentTo: recipient, signedInAt: signedInAt,
            startedAt: min(signedInAt, UnixTime(rawValue: content.from ?? content.at)), expiresAt: expiresAt)
    }
}
