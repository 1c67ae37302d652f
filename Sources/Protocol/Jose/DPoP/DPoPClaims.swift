internal import KeyturnBase

/// What a proof says (RFC 9449 §4.2), by type.
struct DPoPClaims: Sendable {
    /// `jti`.
    let id: String
    /// `htm`.
    let method: String
    /// `htu`.
    let url: String
    /// `iat`.
    let issuedAt: UnixTime
    /// `ath`.
    let accessTokenHash: String?
    let nonce: String?

    private static let limits = JSONValue.Limits(bytesMax: DPoPLimits.proofBytes, depthMax: 6, membersMax: 64)

    /// - Throws: `malformed` if the payload is no JSON object, names a member twice, lacks one that must be there, or
    ///   holds one of another type than the standard says.
    init(parsing payload: [UInt8]) throws(JoseProblem) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: payload, limits: Self.limits)
        } catch {
            throw JoseProblem(.malformed, "the claims are not JSON as they should be: \(error.rule.rawValue)")
        }
        guard json.objectValue != nil else { throw JoseProblem(.malformed, "the claims are not a JSON object") }
        id = try Self.text(json, "jti")
        guard id.utf8.count <= DPoPLimits.idBytes else { throw JoseProblem(.malformed, "jti is too long") }
        method = try Self.text(json, "htm")
        url = try Self.text(json, "htu")
        issuedAt = try Self.time(json, "iat")
        accessTokenHash = try Self.textIfPresent(json, "ath")
        nonce = try Self.textIfPresent(json, "nonce")
    }

    private static func text(_ json: JSONValue, _ name: String) throws(JoseProblem) -> String {
        guard let text = try textIfPresent(json, name), !text.isEmpty else { throw malformed(name) }
        return text
    }

    private static func textIfPresent(_ json: JSONValue, _ name: String) throws(JoseProblem) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.stringValue else { throw malformed(name) }
        return text
    }

    /// A NumericDate (RFC 7519 §2). A fraction is dropped; what is no whole number of 53 bits after that is malformed.
    private static func time(_ json: JSONValue, _ name: String) throws(JoseProblem) -> UnixTime {
        let bound: Int64 = 1 << 53
        let seconds: Int64? =
            switch json[name] {
            case .integer(let value)?: value
            case .number(let value)?: Int64(exactly: value.rounded(.down))
            default: nil
            }
        guard let seconds, (-bound...bound).contains(seconds) else { throw malformed(name) }
        return UnixTime(rawValue: seconds)
    }

    private static func malformed(_ name: String) -> JoseProblem {
        JoseProblem(.malformed, "the claim \(name) is missing or not what it should be")
    }
}
