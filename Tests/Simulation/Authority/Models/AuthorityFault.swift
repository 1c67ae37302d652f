import Authority
import KeyturnBase
import Model

/// A mistake that is planted to see whether it is found: the rules as they were, at least one for each way in which
/// authority broke, and one more for each forbidden state that none of those leads to. A setting loosens a rule, a
/// store forgets what it must know, or an act is done as it was before.
enum AuthorityFault: String, Sendable, CaseIterable {
    /// An address that was never proved was told as the account's: a sign-up alone made an attacker another person.
    case unprovedAddressIsTold
    /// The console asked for the role operator where it is now an owner's: whose server speaks for a provider.
    case operatorIsOwner
    /// A session of any age changed how its user signs in.
    case oldSessionChangesSignIn
    /// A client heard every claim that it named.
    case claimsNeedNoConsent
    /// `sign_up` was a matter of the pages: the wire opened accounts whatever it said.
    case signUpIsOpenOnTheWire
    /// An empty list of groups was no word about them.
    case lastGroupStays
    /// `email_verified` of one document counted for the address of another.
    case wordOfAnotherClaim
    /// A merge with an account that has a second factor, or a password, needed its mailbox alone.
    case mailboxMerges
    /// A link that was opened in the attacker's network was opened by the attacker.
    case sameNetworkIsTheSamePerson
    /// A sign-out was a matter of the client: the server was not told.
    case signOutForgets
    /// A directory that began before its domain was proven had accounts of its own, and spoke of those for ever.
    case ghostsStay
    /// Notices are lost on their way.
    case noticesAreLost
    /// The console gives roles without an owner.
    case operatorGivesRoles
    /// A directory's token opens the users of every tenant.
    case tokenOfAnyTenant

    /// The number of the way in which authority broke; `nil`: in none, but the judge sees it all the same.
    var line: Int? {
        switch self {
        case .unprovedAddressIsTold: 1
        case .operatorIsOwner: 2
        case .oldSessionChangesSignIn: 3
        case .claimsNeedNoConsent: 4
        case .signUpIsOpenOnTheWire: 5
        case .lastGroupStays, .wordOfAnotherClaim: 6
        case .mailboxMerges, .sameNetworkIsTheSamePerson: 7
        case .signOutForgets: 8
        case .ghostsStay: 9
        case .noticesAreLost, .operatorGivesRoles, .tokenOfAnyTenant: nil
        }
    }

    /// Which state of the judge's list it leads to.
    var found: String {
        switch self {
        case .unprovedAddressIsTold: "6:"
        case .operatorIsOwner, .oldSessionChangesSignIn, .wordOfAnotherClaim, .mailboxMerges,
            .sameNetworkIsTheSamePerson:
            "1:"
        case .claimsNeedNoConsent: "5:"
        case .signUpIsOpenOnTheWire: "7:"
        case .lastGroupStays: "10:"
        case .signOutForgets: "8:"
        case .ghostsStay: "9:"
        case .noticesAreLost: "2:"
        case .operatorGivesRoles: "3:"
        case .tokenOfAnyTenant: "4:"
        }
    }

    /// The model in which it is planted.
    var model: AuthorityModel {
        let settings = settings
        return switch self {
        case .unprovedAddressIsTold, .sameNetworkIsTheSamePerson, .signUpIsOpenOnTheWire:
            WireModels.newcomer(settings)
        case .oldSessionChangesSignIn: WireModels.oldSession(hasAuthenticator: false, settings)
        case .mailboxMerges: WireModels.mailbox(settings)
        case .operatorIsOwner, .operatorGivesRoles, .noticesAreLost: ConsoleModels.operator(settings)
        case .claimsNeedNoConsent: ClientModels.claims(settings)
        case .lastGroupStays: DirectoryModels.provider(of: nil, settings)
        case .wordOfAnotherClaim: DirectoryModels.liar(settings)
        case .ghostsStay, .tokenOfAnyTenant: DirectoryModels.directory(settings)
        case .signOutForgets: EndModels.ends(settings)
        }
    }

    private var settings: AuthoritySettings {
        var settings = AuthoritySettings(fault: self)
        switch self {
        case .unprovedAddressIsTold: settings.policy.unverifiedContacts = true
        case .oldSessionChangesSignIn: settings.policy.oldSessionsChangeSignIn = true
        case .sameNetworkIsTheSamePerson:
            settings.policy.sameNetworkCounts = true
            settings.isNetworkShared = true
        case .signUpIsOpenOnTheWire: settings.expectedSignUp = .invited
        default: break
        }
        return settings
    }

    /// The stores, one of which is as it was.
    func planted(in stores: Stores) -> Stores {
        switch self {
        case .claimsNeedNoConsent: stores.with(consents: ForgetfulConsents(stores.consents))
        case .mailboxMerges: stores.with(users: ForgetfulUsers(stores.users))
        case .ghostsStay: stores.with(provisionedUsers: ForgetfulDirectory(stores.provisionedUsers))
        default: stores
        }
    }
}

/// Every user has agreed to every claim.
private struct ForgetfulConsents: ConsentStore {
    private let store: any ConsentStore

    init(_ store: any ConsentStore) { self.store = store }

    func consent(of user: UserID, to clientID: String) async throws(StoreError) -> Consent {
        var consent = try await store.consent(of: user, to: clientID)
        consent.claims = ["email", "email_verified", "name", "phone_number", "employee_number"]
        return consent
    }

    func clients(of user: UserID) async throws(StoreError) -> [String] {
        try await store.clients(of: user)
    }

    func remember(
        _ consent: Consent, redirectURI: String?, of user: UserID, to clientID: String, at now: UnixTime
    ) async throws(StoreError) {
        try await store.remember(consent, redirectURI: redirectURI, of: user, to: clientID, at: now)
    }

    func includes(redirectURI: String, of user: UserID, to clientID: String) async throws(StoreError) -> Bool {
        try await store.includes(redirectURI: redirectURI, of: user, to: clientID)
    }

    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) async throws(StoreError) {
        try await store.withdraw(from: user, to: clientID, at: now)
    }
}

/// Users of a directory stay who they were at first.
private struct ForgetfulDirectory: SCIMUserStore {
    private let store: any SCIMUserStore

    init(_ store: any SCIMUserStore) { self.store = store }

    func createUser(_ user: NewSCIMUser, by allowed: consuming Allowed<Acts.Provision>, at now: UnixTime)
        async throws(StoreError) -> SCIMRecord
    {
        try await store.createUser(user, by: allowed, at: now)
    }

    func changeUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, connections: [String],
        provenDomains: Set<String>, at now: UnixTime, _ rule: @escaping SCIMUserRule
    ) async throws(StoreError) -> Result<SCIMRecord, SCIMProblem> {
        try await store.changeUser(
            id, by: allowed, connections: connections, provenDomains: provenDomains, at: now, rule)
    }

    func deleteUser(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, version: Int64?, connections: [String],
        provenDomains: Set<String>, at now: UnixTime
    ) async throws(StoreError) -> SCIMDeletion {
        try await store.deleteUser(
            id, by: allowed, version: version, connections: connections, provenDomains: provenDomains, at: now)
    }

    func match(
        _ names: ProvisionedNames, in tenant: String, connections: [String], provenDomains: Set<String>
    ) async throws(StoreError) -> ProvisionedMatch? {
        nil
    }

    func rejoin(
        _ id: String, by allowed: consuming Allowed<Acts.Provision>, _ profile: SCIMProfile, connections: [String],
        at now: UnixTime
    ) async throws(StoreError) -> UserID? {
        nil
    }

    func hasAdopted(_ user: UserID, in tenant: String) async throws(StoreError) -> Bool {
        try await store.hasAdopted(user, in: tenant)
    }

    func isIndependent(_ user: UserID, of tenant: String, connections: [String]) async throws(StoreError) -> Bool {
        try await store.isIndependent(user, of: tenant, connections: connections)
    }
}

extension Stores {
    /// The same with other stores in some places.
    fileprivate func with(
        users: (any UserStore)? = nil, consents: (any ConsentStore)? = nil,
        provisionedUsers: (any SCIMUserStore)? = nil
    ) -> Stores {
        Stores(
            isShared: isShared, users: users ?? self.users, tenants: tenants, roles: roles, accessKeys: accessKeys,
            sessions: sessions, grants: grants, consents: consents ?? self.consents, clients: clients, keys: keys,
            revokedTokens: revokedTokens, attempts: attempts, audit: audit, auditStreams: auditStreams,
            signalStreams: signalStreams, messages: messages, logoutNotices: logoutNotices, pingNotices: pingNotices,
            codes: codes, links: links, authenticators: authenticators, recoveryCodes: recoveryCodes,
            recoveries: recoveries, risks: risks, passkeys: passkeys, spent: spent, pushedRequests: pushedRequests,
            passwords: passwords, rateLimits: rateLimits, devices: devices, backchannel: backchannel,
            dataKeys: dataKeys, biometrics: biometrics, anonymous: anonymous, connections: connections,
            identities: identities, federation: federation, provisioned: provisioned,
            provisionedUsers: provisionedUsers ?? self.provisionedUsers, provisionedGroups: provisionedGroups,
            provisioningTokens: provisioningTokens, tenantDomains: tenantDomains, providerTokens: providerTokens,
            consoleOperators: consoleOperators, maintenance: maintenance)
    }
}
