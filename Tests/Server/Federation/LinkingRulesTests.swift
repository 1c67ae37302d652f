import Authority
import KeyturnBase
import Model
import SignIn
import Testing

/// The rule by which an identity finds its account, without a server.
@Suite("Which account an identity belongs to")
struct LinkingRulesTests {
    private static let email = Identifier(loginID: "kim@a.example")

    private static func connection(tenant: String? = nil, domains: [String] = [], creates: Bool = true) -> Connection {
        Connection(
            id: "c", tenantID: tenant, name: "C", createsUsers: creates, domains: domains,
            settings: .openID(OpenIDConnectionSettings(issuer: "https://provider.example", clientID: "client")),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
    }

    private static func profile(
        _ email: String? = "kim@a.example", _ trust: FederatedProfile.EmailTrust = .trusted
    ) -> FederatedProfile {
        FederatedProfile(issuer: "https://provider.example", subject: "1", email: email, emailTrust: trust)
    }

    static func account(
        _ number: Int = 1, _ verification: Account.IdentifierState? = .verified, status: User.Status = .active,
        tenant: String? = nil
    ) throws -> Account {
        let time = UnixTime(rawValue: 0)
        let id = UserID(rawValue: "00000000-0000-4000-8000-00000000000\(number)")
        var user = User(id: id, createdAt: time, updatedAt: time)
        user.status = status
        var account = Account(user: user, identifiers: [:], passwordHash: nil)
        if let verification { account.identifiers[try #require(email)] = verification }
        if let tenant { account.memberships.tenants[tenant] = [] }
        return account
    }

    static func tenantRules(
        _ trust: FederatedProfile.EmailTrust, _ email: String = "kim@a.example", isProven: Bool = true,
        domains: [String] = ["a.example"]
    ) -> LinkingRules {
        var rules = LinkingRules(connection: connection(tenant: "T1", domains: domains), profile: profile(email, trust))
        rules.isDomainProven = isProven
        return rules
    }

    @Test(
        "F-2, F-7: of the project's connections a trusted address alone finds an account",
        arguments: [FederatedProfile.EmailTrust.unverified, .verified])
    func untrusted(_ trust: FederatedProfile.EmailTrust) throws {
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile("kim@a.example", trust))
        #expect(rules.decide() == .ask, "the answer does not tell whether there is an account")
        rules.addressHolder = try Self.account()
        #expect(rules.decide() == .ask)
    }

    @Test(
        "F-9, F-29: of a tenant's connection too, whatever domain the tenant has proven",
        arguments: [FederatedProfile.EmailTrust.unverified, .verified])
    func untrustedForTenant(_ trust: FederatedProfile.EmailTrust) throws {
        var rules = Self.tenantRules(trust)
        #expect(rules.decide() == .refuse(.unprovenAddress))
        rules.addressHolder = try Self.account(tenant: "T1")
        #expect(rules.decide() == .refuse(.unprovenAddress))
        rules.addressHolder = try Self.account(1, .unverified, tenant: "T1")
        #expect(rules.decide() == .refuse(.unprovenAddress))
    }

    @Test func `F-29: a domain counts only for the connection that names it`() throws {
        #expect(Self.tenantRules(.trusted).decide() == .create(email: Self.email))
        #expect(Self.tenantRules(.trusted, isProven: false).decide() == .refuse(.foreignDomain))
        #expect(Self.tenantRules(.trusted, domains: ["b.example"]).decide() == .refuse(.foreignDomain))
        #expect(Self.tenantRules(.trusted, domains: []).decide() == .create(email: nil))
    }

    @Test func `F-3: an account that never verified the address is emptied before it is linked`() throws {
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile())
        let holder = try Self.account(1, .unverified)
        rules.addressHolder = holder
        #expect(rules.decide() == .reclaim(holder, try #require(Self.email)))
        rules.addressHolder = try Self.account()
        #expect(rules.decide() == .link(try Self.account()))
    }

    @Test
    func
        `F-11: a new person with an old address gets no link to the old person's account, which keeps its identity`()
        throws
    {
        for (tenant, domains) in [(nil, []), ("T1", ["a.example"])] as [(String?, [String])] {
            var rules = LinkingRules(
                connection: Self.connection(tenant: tenant, domains: domains), profile: Self.profile())
            rules.isDomainProven = true
            rules.addressHolder = try Self.account(tenant: tenant)
            #expect(rules.decide() == .link(try Self.account(tenant: tenant)))
            rules.isHolderKnown = true
            #expect(rules.decide() == .ask)
            // What was never verified is no one's: its owner gets it, and the other keeps the account.
            let claimed = try Self.account(1, .unverified, tenant: tenant)
            rules.addressHolder = claimed
            #expect(rules.decide() == .release(claimed, try #require(Self.email)))
        }
    }

    @Test func `F-45: an identity that was unlinked is linked by its owner alone`() throws {
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile())
        rules.addressHolder = try Self.account()
        rules.wasUnlinked = true
        #expect(rules.decide() == .ask)
    }

    @Test func `F-14: an address in a compatibility form vouches for no account, and makes none`() throws {
        for text in ["\u{FF4B}im@a.example", "kim@\u{FF41}.example", " kim@a.example", "K\u{130}m@a.example"] {
            var rules = LinkingRules(connection: Self.connection(), profile: Self.profile(text))
            #expect(rules.decide() == .ask, "\(text)")
            rules.addressHolder = try Self.account()
            #expect(rules.decide() == .ask, "\(text)")
            rules = Self.tenantRules(.trusted, text)
            rules.addressHolder = try Self.account(tenant: "T1")
            #expect([.ask, .refuse(.foreignDomain)].contains(rules.decide()), "\(text)")
        }
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile("KIM@A.example"))
        rules.addressHolder = try Self.account()
        #expect(rules.decide() == .link(try Self.account()))
    }

    @Test func `a user with a role in the console is linked by their own act alone, and never emptied`() throws {
        for (tenant, state) in [
            (nil, .verified), (nil, .unverified), ("T1", .verified), ("T1", .unverified),
        ] as [(String?, Account.IdentifierState)] {
            var rules = LinkingRules(
                connection: Self.connection(tenant: tenant, domains: tenant == nil ? [] : ["a.example"]),
                profile: Self.profile())
            rules.isDomainProven = true
            var holder = try Self.account(1, state, tenant: tenant)
            holder.consoleRole = .viewer
            rules.addressHolder = holder
            #expect(rules.decide() == .ask)
            (holder.consoleRole, holder.actsAsOthers) = (nil, true)
            rules.addressHolder = holder
            #expect(rules.decide() == .ask, "who acts as others opens the console's users, too")
            holder.actsAsOthers = false
            rules.addressHolder = holder
            #expect(rules.decide() != .ask)
        }
    }

    @Test func `F-29: an address that the provider calls not verified is refused in its own words`() throws {
        #expect(Self.tenantRules(.denied).decide() == .refuse(.deniedAddress))
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile("kim@a.example", .denied))
        rules.addressHolder = try Self.account()
        #expect(rules.decide() == .ask)
    }

    private static func match(
        _ account: Account, isActive: Bool = true, isHeldHereAlone: Bool = true
    ) -> ProvisionedMatch {
        ProvisionedMatch(account: account, isActive: isActive, isHeldHereAlone: isHeldHereAlone)
    }

    @Test func `a user of the tenant's directory signs in with an address elsewhere; others do not`() throws {
        var rules = Self.tenantRules(.trusted, "kim@b.example", isProven: false)
        #expect(rules.decide() == .refuse(.foreignDomain))
        let kim = try Self.account(1, nil, tenant: "T1")
        rules.provisioned = Self.match(kim)
        #expect(rules.decide() == .occupy(kim))
        rules.provisioned = Self.match(kim, isActive: false)
        #expect(rules.decide() == .refuse(.disabled))
        rules.provisioned = Self.match(kim, isHeldHereAlone: false)
        #expect(rules.decide() == .ask, "the owner has another way in, or another tenant")
        rules.provisioned = Self.match(kim)
        rules.isProvisionedKnown = true
        #expect(rules.decide() == .ask, "another person of the provider had this user")
        rules.isProvisionedKnown = false
        var owner = kim
        owner.consoleRole = .owner
        rules.provisioned = Self.match(owner)
        #expect(rules.decide() == .ask)
        var deputy = kim
        deputy.actsAsOthers = true
        rules.provisioned = Self.match(deputy)
        #expect(rules.decide() == .ask)
    }

    @Test func `an address in the tenant's domain leads to the directory's user before a new one is made`() throws {
        var rules = Self.tenantRules(.trusted)
        let kim = try Self.account(1, nil, tenant: "T1")
        rules.provisioned = Self.match(kim)
        #expect(rules.decide() == .occupy(kim))
        rules.addressHolder = try Self.account(2, tenant: "T1")
        #expect(rules.decide() == .link(try Self.account(2, tenant: "T1")))
    }

    @Test func `names match the directory's users only at a provider of one organisation`() {
        var profile = FederatedProfile(
            issuer: "i", subject: "S", email: "Kim@b.example", emailTrust: .trusted,
            claims: ["preferred_username": "KIM"], raw: ["oid": "O"])
        #expect(ProvisionedNames(profile).isEmpty)
        profile.isOfOneOrganisation = true
        let names = ProvisionedNames(profile)
        #expect(names.externalIDs == ["S", "O"] && names.userNames == ["kim", "kim@b.example"])
        #expect(names.emails == ["kim@b.example"])
        profile.emailTrust = .unverified
        #expect(ProvisionedNames(profile).emails == [] && ProvisionedNames(profile).userNames == ["kim"])
    }

    @Test func `F-13: an address of one account and a number of another are not guessed between`() throws {
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile())
        rules.addressHolder = try Self.account(1)
        rules.phoneHolder = try Self.account(2, nil)
        #expect(rules.decide() == .ask)
        rules.phoneHolder = try Self.account(1)
        #expect(rules.decide() == .link(try Self.account(1)))
    }

    @Test func `F-14: an address has one form for comparison, and no other`() {
        for text in ["KIM@A.Example", "kim@a.example"] {
            #expect(LinkingRules.address(Self.profile(text)) == Self.email, "\(text)")
        }
        for text in ["k.im@a.example", "kim+x@a.example", "kim@а.example", "kim@a.example.", "kim", ""] {
            #expect(LinkingRules.address(Self.profile(text)) != Self.email, "\(text)")
        }
    }

    @Test func `F-31: a personal account is not absorbed by an organisation`() throws {
        var rules = Self.tenantRules(.trusted)
        rules.addressHolder = try Self.account()
        #expect(rules.decide() == .ask)
        rules.addressHolder = try Self.account(tenant: "T2")
        #expect(rules.decide() == .ask)
        rules.addressHolder = try Self.account(tenant: "T1")
        #expect(rules.decide() == .link(try Self.account(tenant: "T1")))
        rules.isAdopted = true
        #expect(rules.decide() == .ask, "the tenant's directory took it in, and its owner never joined")
        (rules.isAdopted, rules.isConnectedByOwner) = (false, true)
        #expect(rules.decide() == .ask, "its owner connected it, by another connection of the tenant")
    }

    @Test func `F-40: where no user is made, an unknown one is refused, and an untrusted one learns nothing`() throws {
        let closed = Self.connection(creates: false)
        #expect(LinkingRules(connection: closed, profile: Self.profile()).decide() == .refuse(.unknownUser))
        #expect(LinkingRules(connection: closed, profile: Self.profile(nil)).decide() == .refuse(.unknownUser))
        var rules = LinkingRules(connection: closed, profile: Self.profile("kim@a.example", .verified))
        let unknown = rules.decide()
        rules.addressHolder = try Self.account()
        #expect(unknown == .ask && rules.decide() == unknown)
    }

    @Test func `F-12, F-61: a known identity stays its user's, and a disabled one is refused`() throws {
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile("other@b.example"))
        rules.known = try Self.account()
        rules.addressHolder = try Self.account(2)
        #expect(rules.decide() == .signIn(try Self.account()))
        rules.known = try Self.account(status: .disabled)
        #expect(rules.decide() == .refuse(.disabled))
    }

    @Test func `F-62: a connection that was switched off answers for nobody`() throws {
        var connection = Self.connection()
        connection.isEnabled = false
        var rules = LinkingRules(connection: connection, profile: Self.profile())
        rules.known = try Self.account()
        #expect(rules.decide() == .refuse(.connectionOff))
    }

    @Test func `F-63: an invitation waits for the address that was invited, proven`() throws {
        var rules = LinkingRules(connection: Self.connection(), profile: Self.profile())
        let invited = try Self.account(1, .unverified, status: .invited)
        rules.addressHolder = invited
        #expect(rules.decide() == .reclaim(invited, try #require(Self.email)))
        rules.profile.emailTrust = .verified
        #expect(rules.decide() == .ask)
    }
}
