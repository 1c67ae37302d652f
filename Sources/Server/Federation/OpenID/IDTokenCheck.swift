internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import KeyturnJose
internal import Model

/// Judges an ID token of a provider (OpenID Connect Core §3.1.3.7).
struct IDTokenCheck: Sendable {
    let settings: OpenIDConnectionSettings
    let preset: ProviderPreset
    let metadata: ProviderMetadata
    let keys: ProviderKeys
    /// The nonce of the request; `nil`: none was sent.
    let nonce: String?
    /// Client identifiers that may be the audience; the first is the connection's own.
    let audiences: [String]

    /// Signatures by public keys alone: with a shared secret each holder could sign.
    private static let algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    private static let subjectBytesMax = 255

    /// - Parameters:
    ///   - token: as it came.
    ///   - accessToken: that came along; `nil`: none.
    /// - Returns: the claims, `iss` in one spelling.
    /// - Throws: ``ConnectionFault``.
    func claims(of token: String, accessToken: String?, at now: UnixTime) async throws(ConnectionFault) -> JSONValue {
        let (claims, algorithm) = try await verified(token, types: [nil, "JWT"], at: now)
        try checkTimes(claims, at: now)
        guard nonce == nil || claims["nonce"]?.stringValue == nonce else { throw ConnectionFault(.refused, "nonce") }
        guard let subject = claims["sub"]?.stringValue, Self.isSubject(subject) else {
            throw ConnectionFault(.refused, "sub")
        }
        if let accessToken, let told = claims["at_hash"]?.stringValue {
            guard told == Self.hash(accessToken, algorithm) else { throw ConnectionFault(.refused, "at_hash") }
        }
        return claims
    }

    static func isSubject(_ text: String) -> Bool {
        (1...subjectBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The claims of a token that the provider signed for this client.
    ///
    /// - Parameter types: values of `typ` that are accepted.
    func verified(_ token: String, types: [String?], at now: UnixTime) async throws(ConnectionFault) -> (
        claims: JSONValue, algorithm: SignatureAlgorithm
    ) {
        guard token.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(token),
            Self.algorithms.contains(jws.header.algorithm), types.contains(jws.header.type)
        else { throw ConnectionFault(.refused, "id_token_form") }
        var verified = Self.claims(of: jws, by: try await keys.candidates(for: jws.header, at: now))
        if verified == nil { verified = Self.claims(of: jws, by: await keys.renewed(for: jws.header, at: now)) }
        guard let claims = verified else { throw ConnectionFault(.refused, "id_token_signature") }
        let issuer = preset.expectedIssuer.map { $0(claims, settings) } ?? metadata.issuer
        guard let issuer, claims["iss"]?.stringValue == issuer else { throw ConnectionFault(.refused, "iss") }
        try checkAudience(claims)
        return (claims, jws.header.algorithm)
    }

    private static func claims(of jws: UnverifiedJWS, by keys: [VerificationKey]) -> JSONValue? {
        for key in keys.prefix(Limits.foreignKeysTriedMax) {
            if let claims = try? jws.verify(with: key).claims() { return claims }
        }
        return nil
    }

    private func checkAudience(_ claims: JSONValue) throws(ConnectionFault) {
        let audience = claims["aud"]?.stringValue.map { [$0] } ?? claims["aud"]?.stringArrayValue ?? []
        // Every audience must be ours: another one could be a client of other people.
        guard !audience.isEmpty, audience.allSatisfy(audiences.contains) else { throw ConnectionFault(.refused, "aud") }
        let party = claims["azp"]?.stringValue
        guard party.map(audiences.contains) ?? (audience.count == 1) else { throw ConnectionFault(.refused, "azp") }
    }

    func checkTimes(_ claims: JSONValue, at now: UnixTime) throws(ConnectionFault) {
        let skew = Limits.federationSkewSeconds
        guard let expiry = Self.time(claims["exp"]), now < expiry + skew else { throw ConnectionFault(.refused, "exp") }
        guard let issued = Self.time(claims["iat"]), issued <= now + skew else {
            throw ConnectionFault(.refused, "iat")
        }
        if claims["nbf"] != nil {
            guard let begin = Self.time(claims["nbf"]), begin <= now + skew else {
                throw ConnectionFault(.refused, "nbf")
            }
        }
    }

    /// NumericDate (RFC 7519 §2), within 53 bits.
    static func time(_ value: JSONValue?) -> UnixTime? {
        let bound: Int64 = 1 << 53
        let seconds: Int64? =
            switch value {
            case .integer(let whole): whole
            case .number(let number): Int64(exactly: number.rounded(.down))
            default: nil
            }
        guard let seconds, (-bound...bound).contains(seconds) else { return nil }
        return UnixTime(rawValue: seconds)
    }

    /// The left half of a hash of the token, by the hash of the signature's algorithm (OpenID Connect Core §3.1.3.6).
    private static func hash(_ token: String, _ algorithm: SignatureAlgorithm) -> String {
        let bytes = Array(token.utf8)
        let digest: [UInt8]
        switch algorithm.rawValue.suffix(3) {
        case "384": digest = Array(SHA384.hash(data: bytes))
        case "512", "DSA": digest = Array(SHA512.hash(data: bytes))
        default: digest = Array(SHA256.hash(data: bytes))
        }
        return Base64URL.encode(Array(digest.prefix(digest.count / 2)))
    }
}
