public import KeyturnBase

/// A user or client that acts for the subject of a token (RFC 8693 §4.1).
public struct TokenActor: Hashable, Sendable {
    /// Who acts (`sub`); `client:` and an identifier for a client of a Keyturn server.
    public let subject: String
    /// Every claim about them but the chain below.
    public let claims: [String: JSONValue]

    /// The chain in a claim `act`, the present actor first, earlier ones after.
    ///
    /// - Throws: `token.malformed` for anything but objects with a `sub` in each other, at most
    ///   ``VerifyLimits/actors``.
    static func chain(_ claims: ClaimReader) throws(AuthError) -> [TokenActor] {
        var chain: [TokenActor] = []
        var next = try claims.membersIfPresent("act")
        while var members = next {
            guard chain.count < VerifyLimits.actors else {
                throw AuthError(.tokenMalformed, "too many act for each other")
            }
            next = try ClaimReader(members).membersIfPresent("act")
            members["act"] = nil
            chain.append(TokenActor(subject: try ClaimReader(members).text("sub"), claims: members))
        }
        return chain
    }
}

extension TokenActor: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of them.
    public var description: String { "TokenActor" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
