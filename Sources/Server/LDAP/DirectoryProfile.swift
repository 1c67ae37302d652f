internal import KeyturnBase
internal import Model

/// From an entry to what is said about its user.
struct DirectoryProfile: Sendable {
    let settings: LDAPConnectionSettings
    /// Whether groups mean anything to the connection.
    let mapsGroups: Bool

    /// Directories have no identifier of their own: a connection is one directory.
    static let issuer = "ldap"
    private static let names = [
        "email": "mail", "name": "cn", "given_name": "givenName", "family_name": "sn",
        "phone_number": "telephoneNumber", "preferred_username": "uid",
    ]
    private static let claims = [
        "name", "given_name", "middle_name", "family_name", "locale", "preferred_username",
    ]
    private static let states = ["objectClass", "userAccountControl", "pwdAccountLockedTime", "nsAccountLock"]

    /// The attributes to read.
    var attributes: [String] {
        var wanted = [settings.subjectAttribute] + Self.states
        if mapsGroups { wanted.append(settings.groupAttribute) }
        for name in Self.names.merging(settings.mapping, uniquingKeysWith: { _, own in own }).values.sorted()
        where !wanted.contains(name) {
            wanted.append(name)
        }
        return wanted
    }

    private func text(_ name: String, of entry: LDAPEntry) -> String? {
        (settings.mapping[name] ?? Self.names[name]).flatMap { entry.texts($0).first }
    }

    /// - Parameter groups: names of the user's groups; `nil`: unknown.
    /// - Throws: ``LDAPFault`` if the entry does not identify its user.
    func profile(of entry: LDAPEntry, groups: [String]?) throws(LDAPFault) -> FederatedProfile {
        guard let subject = entry.subject(settings.subjectAttribute),
            (1...Limits.federatedSubjectBytesMax).contains(subject.utf8.count)
        else { throw .settings("no_subject") }
        var profile = FederatedProfile(issuer: Self.issuer, subject: subject)
        profile.isOfOneOrganisation = true
        if let email = text("email", of: entry), email.utf8.count <= 254 {
            profile.email = email
            profile.emailTrust = settings.trustsEmail ? .trusted : .unverified
        }
        profile.phone = text("phone_number", of: entry).flatMap(Self.phone)
        for name in Self.claims {
            guard let text = text(name, of: entry), text.utf8.count <= 1_024 else { continue }
            profile.claims[name] = .string(text)
            profile.raw[name] = .string(text)
        }
        profile.groups = groups
        profile.methods = ["pwd"]
        return profile
    }

    /// A number with a country's code, without what is written between its digits; `nil` for any other.
    private static func phone(_ text: String) -> String? {
        let digits = text.filter { !" -/().".contains($0) }
        guard digits.hasPrefix("+"), (8...16).contains(digits.count), digits.dropFirst().allSatisfy(\.isNumber) else {
            return nil
        }
        return digits
    }
}
