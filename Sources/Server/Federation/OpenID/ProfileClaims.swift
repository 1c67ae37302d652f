internal import KeyturnBase
internal import Model

/// Reads a profile out of verified claims.
struct ProfileClaims: Sendable {
    let claims: JSONValue
    let settings: OpenIDConnectionSettings
    let preset: ProviderPreset

    private static let names = [
        "name", "given_name", "middle_name", "family_name", "picture", "locale", "preferred_username",
    ]
    private static let groupsMax = 1_000

    private func value(_ name: String) -> JSONValue? { claims[settings.mapping[name] ?? name] }

    /// - Parameter names: used where the claims have none.
    func profile(names: [String: String]) throws(ConnectionFault) -> FederatedProfile {
        let told = preset.subject.map { $0(claims) } ?? claims["sub"]?.stringValue
        guard let issuer = claims["iss"]?.stringValue, let subject = told else {
            throw ConnectionFault(.refused, "sub")
        }
        var profile = FederatedProfile(issuer: issuer, subject: subject)
        profile.isOfOneOrganisation = preset.servesOne(settings)
        profile.email = value("email")?.stringValue
        profile.emailTrust = emailTrust()
        profile.phone = value("phone_number")?.stringValue
        for name in Self.names {
            if let text = value(name)?.stringValue ?? names[name] { profile.claims[name] = .string(text) }
        }
        if profile.claims["name"] == nil, let given = names["given_name"], let family = names["family_name"] {
            profile.claims["name"] = .string("\(given) \(family)")
        }
        profile.groups = groups()
        profile.authenticatedAt = IDTokenCheck.time(claims["auth_time"]).map { max($0, UnixTime(rawValue: 0)) }
        profile.context = claims["acr"]?.stringValue
        profile.methods = Array((claims["amr"]?.stringArrayValue ?? []).prefix(16))
        profile.session = claims["sid"]?.stringValue.flatMap { $0.utf8.contains(0) ? nil : $0 }
        profile.raw = claims.objectValue ?? [:]
        return profile
    }

    /// The preset's rule is about the claim `email`. Another member of the claims is as good as the operator's word.
    private func emailTrust() -> FederatedProfile.EmailTrust {
        guard value("email")?.stringValue != nil else { return .unverified }
        guard let mapped = settings.mapping["email"], mapped != "email" else {
            let trust = preset.emailTrust(claims, settings)
            guard trust == .unverified else { return trust }
            guard let told = claims["email_verified"] else {
                // ADFS and others never send the claim: the operator's word about an organisation's provider stands for it.
                return settings.trustsEmail && preset.servesOne(settings) ? .verified : .unverified
            }
            return ProviderClaims.isTrue(told) ? .unverified : .denied
        }
        return settings.trustsEmail && preset.servesOne(settings) ? .trusted : .unverified
    }

    /// The groups; a single text is a list of one, and no list is an empty one. `nil`: there are more. Microsoft leaves out
    /// long lists, and says where to ask.
    private func groups() -> [String]? {
        let name = settings.mapping["groups"] ?? "groups"
        if claims["_claim_names"]?[name] != nil { return nil }
        if name == "groups", ProviderClaims.isTrue(claims["hasgroups"]) { return nil }
        if let one = claims[name]?.stringValue { return [one] }
        let list = claims[name]?.arrayValue?.compactMap(\.stringValue) ?? []
        return list.count <= Self.groupsMax ? list : nil
    }
}

extension FederatedProfile {
    /// With the word of an organisation's own provider: it vouches for the addresses that it verified, because the rules
    /// of linking take those of the connection's domains alone.
    func vouched(for connection: Connection, _ settings: OpenIDConnectionSettings, _ preset: ProviderPreset)
        -> FederatedProfile
    {
        guard connection.tenantID != nil, emailTrust == .verified, preset.servesOne(settings) else { return self }
        var profile = self
        profile.emailTrust = .trusted
        return profile
    }

    /// The profile within its bounds; what is too large is left out.
    func bounded() throws(ConnectionFault) -> FederatedProfile {
        guard (1...Limits.federatedSubjectBytesMax).contains(subject.utf8.count), !subject.utf8.contains(0) else {
            throw ConnectionFault(.refused, "sub")
        }
        var profile = self
        if let email, email.utf8.count > 254 { (profile.email, profile.emailTrust) = (nil, .unverified) }
        if JSONValue.object(raw).serialized.count > Limits.federatedClaimsBytesMax { profile.raw = [:] }
        return profile
    }
}
