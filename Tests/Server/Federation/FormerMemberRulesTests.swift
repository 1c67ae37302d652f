import Authority
import KeyturnBase
import Model
import SignIn
import Testing

/// The rule, for users who were taken out of the connection's tenant.
@Suite("Which account an identity of a former member belongs to")
struct FormerMemberRulesTests {
    @Test func `who was taken out of a tenant is let in by its provider only if they connected it themselves`() throws {
        for (isMember, isByOwner, isLetIn) in [
            (true, false, true), (false, false, false), (true, true, true), (false, true, true),
        ] {
            var rules = LinkingRulesTests.tenantRules(.trusted)
            let account = try LinkingRulesTests.account(tenant: isMember ? "T1" : "T2")
            var identity = FederatedIdentity(
                key: rules.profile.key(at: rules.connection.id), userID: account.user.id,
                linkedAt: UnixTime(rawValue: 1), usedAt: UnixTime(rawValue: 1), isByOwner: isByOwner)
            identity.providedIn = "T1"
            (rules.known, rules.hasKnownEnded) = (account, identity.hasEnded(for: account, in: "T1"))
            #expect(rules.decide() == (isLetIn ? .signIn(account) : .refuse(.disabled)))
            #expect(!identity.hasEnded(for: account, in: nil), "the project's provider")
        }
    }

    @Test
    func `a former member whom the directory called back signs in first, unless the tenant holds the account alone`()
        throws
    {
        var rules = LinkingRulesTests.tenantRules(.trusted)
        let account = try LinkingRulesTests.account(tenant: "T1")
        let decisions: [(Absence, LinkingDecision)] = [
            (.none, .signIn(account)), (.held, .signIn(account)), (.own, .ask),
        ]
        for (absence, decision) in decisions {
            (rules.known, rules.absence) = (account, absence)
            #expect(rules.decide() == decision)
        }
        (rules.known, rules.addressHolder) = (nil, account)
        #expect(rules.decide() == .ask)
        rules.absence = .held
        #expect(rules.decide() == .link(account))
    }
}
