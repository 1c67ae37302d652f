internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A code for a session that derives from an app's, for another client. It is sealed: before its redemption there is no
/// row, and the session that it gives ends with the app's.
struct DerivedCode: Codable, Sendable {
    /// Codes of sign-ins have no dot.
    static let prefix = "d."
    static let kind = "derived-code"
    /// The longest one that is read, in bytes: it holds a redirect address, a scope and resources.
    static let bytesMax = 8_192

    /// The grant that its redemption makes: a second redemption finds it, and ends it.
    let grantID: String
    let parentID: String
    let clientID: String
    let redirectURI: String
    let codeChallenge: String?
    let keyThumbprint: String?
    let nonce: String?
    let scope: [String]
    let resources: [String]
    /// What it is for, a word of the audit log.
    let reason: String
    let expiresAt: UnixTime

    /// The text of the code.
    func sealed(by seal: TransactionSeal) -> String { Self.prefix + seal.close(self, kind: Self.kind) }

    /// - Returns: `nil` for a code of another kind, or one that this server did not make.
    init?(_ text: String, _ seal: TransactionSeal) {
        guard text.hasPrefix(Self.prefix), text.utf8.count <= Self.bytesMax,
            let code = seal.open(String(text.dropFirst(Self.prefix.count)), as: DerivedCode.self, kind: Self.kind)
        else { return nil }
        self = code
    }

    init(
        from parent: GrantID, to client: Client, _ answer: Answer, scope: Scope, reason: String, _ ambient: Ambient
    ) {
        grantID = GrantID.make(ambient).text
        parentID = parent.text
        clientID = client.id
        redirectURI = answer.redirectURI
        codeChallenge = answer.codeChallenge
        keyThumbprint = answer.keyThumbprint
        nonce = answer.nonce
        self.scope = scope.names
        resources = answer.resources
        self.reason = reason
        expiresAt = ambient.now() + Limits.codeSeconds
    }

    /// Where the code goes, and what its redemption must show.
    struct Answer: Sendable {
        let redirectURI: String
        let codeChallenge: String?
        var keyThumbprint: String?
        var nonce: String?
        var resources: [String] = []
    }
}
