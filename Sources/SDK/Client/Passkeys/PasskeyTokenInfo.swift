public import KeyturnBase
public import KeyturnWire

/// What a ceremony leaves in the app's hands: a token for its backend, and nothing that proves anything to the app.
public struct PasskeyTokenInfo: Hashable, Sendable {
    /// Redeemed once, by the backend, with its secret key. A secret until then.
    public let token: String
    /// When it stops being redeemable: in a few minutes.
    public let expiresAt: UnixTime
    /// What the service says although all went well: about an outdated client, for instance. For developers.
    public let warnings: [PasskeyServiceError]

    init(_ reply: PasskeyEndpoint.Reply<PasskeyToken>, _ earlier: [PasskeyServiceError]) {
        token = reply.message.token.exposed()
        expiresAt = reply.message.expiresAt
        warnings = earlier + reply.warnings
    }
}

extension PasskeyTokenInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows when it expires, and nothing of the token.
    public var description: String { "PasskeyTokenInfo(expires at \(expiresAt.rawValue))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
