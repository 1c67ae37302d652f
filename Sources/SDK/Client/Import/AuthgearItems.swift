internal import KeyturnBase

/// What a container of Authgear's SDK keeps: an item with a text for each thing, without a service.
struct AuthgearItems: Sendable {
    let name: String

    /// The refresh token, unless it is bound to a key: that key is in the Secure Enclave, under the other library's name,
    /// and a renewal without it is refused.
    ///
    /// No access token is kept. The device secret and the keys stay where they are.
    func find(in items: any LegacySessionItems) throws(AuthError) -> LegacyFinding {
        let refresh = place("refreshToken")
        guard let data = try items.item(refresh) else { return .absent }
        guard try items.item(place("dpopKeyID")) == nil else { return .unusable(.importKeyBound) }
        guard data.count <= Limits.tokenMaxBytes, let token = String(validating: data, as: UTF8.self),
            LegacyDecoding.isToken(token)
        else { return .unusable(.importDamaged) }
        var tokens = LegacyTokens(accessToken: "", refreshToken: token, end: .over)
        tokens.sources = [LegacyTokens.Source(item: refresh, data: data)]
        let idToken = place("idToken")
        if let data = try items.item(idToken) {
            tokens.sources.append(LegacyTokens.Source(item: idToken, data: data))
            tokens.userClaims = Self.subject(ofIDToken: data)
        }
        return .found(tokens)
    }

    private func place(_ suffix: String) -> LegacySessionItem {
        LegacySessionItem(service: nil, account: "authgear_\(name)_\(suffix)")
    }

    /// Whose the ID token is. It is not verified, so it is not taken for one; the first renewal brings another.
    private static func subject(ofIDToken data: [UInt8]) -> [String: JSONValue] {
        guard data.count <= Limits.tokenMaxBytes, let compact = String(validating: data, as: UTF8.self) else {
            return [:]
        }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
            let subject = (try? JSONValue(parsing: payload))?["sub"]?.stringValue
        else { return [:] }
        return ["sub": .string(subject)]
    }
}
