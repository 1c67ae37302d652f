internal import KeyturnBase
internal import KeyturnWire

/// Claims that stand elsewhere with each provider, read as the profile says.
extension ClaimReader {
    /// Refuses a genuine token that is no access token of the profile (RFC 8725 §3.11 and §3.12).
    ///
    /// - Throws: `token.kind`, with the claim's name.
    func checkKind() throws(AuthError) {
        for requirement in profile.requirements { try demand(requirement) }
        for name in profile.refusedClaims where value(TokenProfile.Claim(name)) != nil {
            guard profile.requirements.contains(where: { $0.names(name) }) else {
                throw AuthError(.tokenKind, "the claim \(name) marks another kind of token")
            }
        }
    }

    /// The client, which must be there and not be empty.
    func clientID() throws(AuthError) -> String {
        var found: String?
        for claim in profile.client {
            guard let stated = value(claim) else { continue }
            guard let text = stated.stringValue, !text.isEmpty, found == nil || found == text else {
                throw Self.malformed(claim.text)
            }
            found = text
        }
        guard let found else { throw Self.malformed(Self.names(profile.client)) }
        return found
    }

    /// `aud`, in either of its two forms (RFC 7519 §4.1.3), or what stands for it where there is none.
    func audience() throws(AuthError) -> [String] {
        guard let stated = all["aud"] else {
            guard let claim = profile.audienceFallback else { throw Self.malformed("aud") }
            guard let text = value(claim)?.stringValue, !text.isEmpty else { throw Self.malformed(claim.text) }
            return [text]
        }
        if case .string(let one) = stated { return [one] }
        guard let many = stated.stringArrayValue else { throw Self.malformed("aud") }
        return many
    }

    /// What the token allows (RFC 9068 §2.2.3); missing means nothing.
    func scope() throws(AuthError) -> Scope {
        guard let claim = profile.scope, let stated = value(claim) else { return .none }
        if let text = stated.stringValue, let scope = Scope(text) { return scope }
        guard profile.allowsScopeList, let names = stated.stringArrayValue, names.allSatisfy(Self.isScopeName) else {
            throw Self.malformed(claim.text)
        }
        return Scope(names: names)
    }

    /// The roles, absent if they cannot be read; a text alone is one role.
    func roles() -> [String]? {
        guard let claim = profile.roles, let stated = value(claim) else { return nil }
        return stated.stringArrayValue ?? stated.stringValue.map { [$0] }
    }

    private func demand(_ requirement: TokenProfile.Requirement) throws(AuthError) {
        switch requirement.kind {
        case .has(let claims):
            guard claims.contains(where: { value($0) != nil }) else {
                throw AuthError(
                    .tokenKind, "no access token of this profile: the claim \(Self.names(claims)) is missing")
            }
        case .value(let claim, let values):
            guard let text = value(claim)?.stringValue, values.contains(text) else {
                throw AuthError(
                    .tokenKind, "no access token of this profile: the claim \(claim.text) is missing or another")
            }
        }
    }

    /// What a claim says; `null` says no more than a missing one does.
    private func value(_ claim: TokenProfile.Claim) -> JSONValue? {
        var value: JSONValue? = .object(all)
        for name in claim.path { value = value?[name] }
        if case .null? = value { return nil }
        return value
    }

    /// One name, without a space: a list's element is never taken apart.
    private static func isScopeName(_ name: String) -> Bool { Scope(name)?.names == [name] }

    private static func names(_ claims: [TokenProfile.Claim]) -> String {
        claims.map(\.text).joined(separator: " or ")
    }
}
