public import KeyturnBase

/// A one-time token: what an app takes home from a ceremony and hands to its backend.
///
/// It proves nothing to the app itself. Registration and authentication have tokens of their own, and neither is taken
/// for the other.
public struct PasskeyToken: Equatable, Sendable {
    /// What the site's backend redeems, once.
    public var token: Secret
    /// When it stops being redeemable: a few minutes after it was given.
    public var expiresAt: UnixTime

    /// A token, and when it expires.
    public init(token: Secret, expiresAt: UnixTime) {
        self.token = token
        self.expiresAt = expiresAt
    }
}

extension PasskeyToken: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        token = Secret(try members.text("token", bounds: PasskeyLimits.tokenCharacters))
        expiresAt = try members.time("expiresAt")
    }

    public var json: JSONValue {
        ["token": .string(token.exposed()), "expiresAt": .integer(expiresAt.rawValue)]
    }
}
