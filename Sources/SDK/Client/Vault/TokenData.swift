public import KeyturnBase

/// What a token says about itself, unverified: good for showing, and for finding what is kept for its user.
public struct TokenData: Hashable, Sendable {
    /// The user (`sub`).
    public let userID: String
    /// When it runs out, by its issuer's clock (`exp`); `nil`: it does not say.
    public let expiresAt: UnixTime?
    /// Who issued it (`iss`).
    public let issuer: String?

    /// Reads a signed JWT; `nil` for anything else, and for one without a `sub` that is a text.
    public init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, token.utf8.count <= Limits.tokenMaxBytes, let payload = Base64URL.decode(parts[1]),
            let claims = try? JSONValue(parsing: payload), let subject = claims["sub"]?.stringValue, !subject.isEmpty
        else { return nil }
        userID = subject
        expiresAt =
            switch claims["exp"] {
            case .integer(let seconds): UnixTime(rawValue: seconds)
            case .number(let seconds): Int64(exactly: seconds.rounded(.down)).map { UnixTime(rawValue: $0) }
            default: nil
            }
        issuer = claims["iss"]?.stringValue
    }
}
