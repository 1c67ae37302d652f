public import KeyturnBase

/// The protected header of a token (RFC 7515 §4), as far as it may be believed: which algorithm and key it claims.
///
/// `jwk`, `jku`, `x5u` and `x5c` are never looked at: a token does not bring its own key.
public struct JWSHeader: Hashable, Sendable {
    /// What the token says it is signed with (`alg`); the key decides whether that is right.
    public let algorithm: SignatureAlgorithm
    /// `kid`, a name to look up and nothing else.
    public let keyID: String?
    /// `typ`, in lower case but for `JWT`, without `application/` (RFC 7515 §4.1.9).
    public let type: String?
    /// Every member, for protocols that define their own.
    public let members: JSONValue

    private static let limits = JSONValue.Limits(bytesMax: 8_192, depthMax: 6, membersMax: 32)

    /// - Throws: `header` or `unsupportedAlgorithm`.
    init(parsing bytes: [UInt8]) throws(JoseProblem) {
        do {
            members = try JSONValue(parsing: bytes, limits: Self.limits)
        } catch {
            throw JoseProblem(.header, "the header is not JSON as it should be: \(error.rule.rawValue)")
        }
        guard members.objectValue != nil, let name = members["alg"]?.stringValue else {
            throw JoseProblem(.header, "the header names no algorithm")
        }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw JoseProblem(.unsupportedAlgorithm, "the header names an algorithm that is not supported")
        }
        guard members["crit"] == nil, members["b64"] == nil else {
            throw JoseProblem(.header, "the header demands an extension that is not understood")
        }
        self.algorithm = algorithm
        keyID = try Self.text(members["kid"], "kid")
        type = try Self.text(members["typ"], "typ").map(Self.normalized)
    }

    private static func text(_ value: JSONValue?, _ name: String) throws(JoseProblem) -> String? {
        guard let value else { return nil }
        guard let text = value.stringValue, text.utf8.count <= 512 else {
            throw JoseProblem(.header, "\(name) is not a string of reasonable length")
        }
        return text
    }

    private static func normalized(_ type: String) -> String {
        let lower = type.lowercased()
        let name = lower.hasPrefix("application/") ? String(lower.dropFirst("application/".count)) : lower
        return name == "jwt" ? "JWT" : name
    }
}
