public import KeyturnBase
internal import KeyturnWire

/// A token as a client presented it. Nothing about it is known to be true.
///
/// There is no way to read claims from it: give it to a ``TokenVerifier``.
public struct UnverifiedToken: Sendable {
    let compact: String

    /// Any text; what it is worth is for a verifier to say.
    public init(_ compact: String) {
        self.compact = compact
    }
}

extension UnverifiedToken {
    /// The token of a request (RFC 6750 §2.1).
    ///
    /// - Parameters:
    ///   - authorization: The value of the `Authorization` header, `nil` if there is none. The scheme's case does not
    ///     matter.
    ///   - query: The URL's query. A token in there is refused, even beside one in the header: it would be kept in
    ///     logs and histories (RFC 9700 §4.3.2).
    /// - Throws: `token.missing` if the request presents none; `token.malformed` if it presents one in a way that
    ///   is not allowed. ``BearerChallenge/init(answering:realm:resourceMetadata:)`` turns both into the right answer.
    public static func bearer(
        authorization: String?, query: String? = nil
    ) throws(AuthError) -> UnverifiedToken {
        if let query, hasToken(query) {
            throw AuthError(.tokenMalformed, "a token in the URL", cause: BearerChallenge.invalidRequest)
        }
        guard let authorization else { throw AuthError(.tokenMissing, "no Authorization header") }
        let parts = authorization.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].lowercased() == "bearer" else {
            throw AuthError(.tokenMissing, "the Authorization header is not of the scheme Bearer")
        }
        guard parts.count == 2, let token = tokenText(parts[1]) else {
            throw AuthError(.tokenMalformed, "no single token after Bearer", cause: BearerChallenge.invalidRequest)
        }
        return UnverifiedToken(token)
    }

    /// `b64token` of RFC 6750 §2.1, of acceptable size.
    private static func tokenText(_ text: Substring) -> String? {
        let token = text.drop { $0 == " " }
        let body = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        let isAllowed = body.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard isAllowed, !body.isEmpty, token.utf8.count <= VerifyLimits.tokenBytes else { return nil }
        return String(token)
    }

    private static func hasToken(_ query: String) -> Bool {
        query.split { $0 == "&" || $0 == ";" }.contains { pair in
            let name = pair.prefix { $0 != "=" }
            return ((try? FormParameters.percentDecode(name)) ?? "").lowercased() == "access_token"
        }
    }
}

extension UnverifiedToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the token.
    public var description: String { "UnverifiedToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
