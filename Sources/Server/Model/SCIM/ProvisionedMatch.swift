internal import KeyturnBase

/// The names by which a provider's identity may be a user of the tenant's directory.
public struct ProvisionedNames: Hashable, Sendable {
    /// As `externalId`, exactly.
    public var externalIDs: [String]
    /// As `userName`, in lower case.
    public var userNames: [String]
    /// As one of the addresses, in lower case.
    public var emails: [String]

    public init(externalIDs: [String] = [], userNames: [String] = [], emails: [String] = []) {
        self.externalIDs = externalIDs
        self.userNames = userNames
        self.emails = emails
    }

    /// The names in what a provider said. None, if others than the organisation's people sign in there, who could choose
    /// their names: then nothing matches.
    public init(_ profile: FederatedProfile) {
        self.init()
        guard profile.isOfOneOrganisation else { return }
        let identifiers = [profile.subject, profile.subjectName, profile.raw["oid"]?.stringValue]
        externalIDs = identifiers.compactMap(\.self).filter { !$0.isEmpty }
        var names = [profile.subjectName, profile.claims["preferred_username"]?.stringValue]
        if profile.emailTrust == .trusted, let email = profile.email, Identifier.isOwnForm(of: email) {
            names.append(email)
            emails = [email.lowercased()]
        }
        userNames = names.compactMap { $0?.lowercased() }.filter { !$0.isEmpty }
    }

    public var isEmpty: Bool { externalIDs.isEmpty && userNames.isEmpty && emails.isEmpty }
}

/// The user of a tenant's directory that such names stand for.
public struct ProvisionedMatch: Hashable, Sendable {
    public let account: Account
    /// Whether the directory lets the user in.
    public let isActive: Bool
    /// Whether provisioning made the account and nothing else holds it
    /// (``SCIMUserStore/deleteUser(_:by:version:connections:provenDomains:at:)``).
    public let isHeldHereAlone: Bool
    /// Whether another caller than the directory disabled the account: no other account with one of the names lets the
    /// person in.
    public let isDisabledElsewhere: Bool

    public init(account: Account, isActive: Bool, isHeldHereAlone: Bool, isDisabledElsewhere: Bool = false) {
        self.account = account
        self.isActive = isActive
        self.isHeldHereAlone = isHeldHereAlone
        self.isDisabledElsewhere = isDisabledElsewhere
    }
}
