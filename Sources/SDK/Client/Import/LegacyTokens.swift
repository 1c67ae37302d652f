internal import KeyturnBase

/// What another library's items say about a session.
struct LegacyTokens: Hashable, Sendable {
    /// Until when the access token is good.
    enum End: Hashable, Sendable {
        /// The token is a JWT and says so itself.
        case inToken
        case at(UnixTime)
        /// Nothing says until when, so it counts as over.
        case over
    }

    /// An item as it was read.
    struct Source: Hashable, Sendable {
        let item: LegacySessionItem
        let data: [UInt8]
    }

    /// Empty if that library keeps none.
    let accessToken: String
    let refreshToken: String
    let end: End
    /// What is known about the user.
    var userClaims: [String: JSONValue] = [:]
    /// What is removed once the session was renewed.
    var sources: [Source] = []
}

extension LegacyTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the tokens.
    var description: String { "LegacyTokens" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the decoders of items share.
enum LegacyDecoding {
    static let damaged = AuthError(.importDamaged, "another library's item is damaged")
    static let notRenewable = AuthError(.importNotRenewable, "another library's tokens have no refresh token")

    /// The item as a JSON object; `nil` if it is none, or too large.
    static func object(_ data: [UInt8]) -> [String: JSONValue]? {
        let limits = JSONValue.Limits(bytesMax: Limits.legacyItemMaxBytes)
        return (try? JSONValue(parsing: data, limits: limits))?.objectValue
    }

    /// A token that can go into a header, and back to its service; `nil` for anything else.
    static func token(_ json: JSONValue?) -> String? {
        json?.stringValue.flatMap { isToken($0) ? $0 : nil }
    }

    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.tokenMaxBytes
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// A `Date` as Swift's encoder writes it: seconds since 2001, as a rule with a fraction. `nil` if it is none.
    static func date(_ json: JSONValue?) -> UnixTime? {
        let seconds: Int64? =
            switch json {
            case .integer(let seconds): seconds
            case .number(let seconds): Int64(exactly: seconds.rounded(.down))
            default: nil
            }
        // Dates of this and some later centuries: whatever is beyond says nothing.
        guard let seconds, abs(seconds) <= Limits.legacyDateSecondsMax else { return nil }
        return UnixTime(rawValue: seconds + secondsTo2001)
    }

    /// From 1970-01-01 to 2001-01-01.
    private static let secondsTo2001: Int64 = 978_307_200
}
