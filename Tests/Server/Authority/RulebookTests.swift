import KeyturnWire
import Testing

@testable import Authority

@Suite("Rulebook: who may do what")
struct RulebookTests {
    static let strict = Rulebook(AuthorityPolicy())

    static func user(
        _ id: String = "u1", epoch: Int64 = 0, role: ConsoleRole? = nil, app: Bool = false, passkey: Bool = false,
        other: Bool = true, tenants: Set<String> = [], roles: Set<String> = [],
        acts: Bool = false
    ) -> Subject {
        .user(
            UserStanding(
                id: id, epoch: epoch, consoleRole: role, hasAuthenticator: app, hasPasskey: passkey,
                hasOtherFactor: other, tenants: tenants, roles: roles, actsAsOthers: acts))
    }

    static func session(
        _ way: SessionStanding.Way = .wire, recent: Bool = true, strong: Bool = false, several: Bool = false,
        impersonated: Bool = false, approval: Bool = false
    ) -> Caller {
        .session(
            SessionStanding(
                way, isRecent: recent, usedStrongFactor: strong, usedSeveralFactors: several,
                isImpersonated: impersonated, isOfApproval: approval))
    }

    static func `operator`(_ role: ConsoleRole, recent: Bool = true, acting: Set<String> = []) -> Caller {
        .operator(OperatorStanding(user: "o1", role: role, isRecent: recent, actingRoles: acting))
    }

    private static func denial(
        _ act: Act, _ caller: Caller, _ subject: Subject, _ evidence: Evidence = .none,
        _ policy: AuthorityPolicy = .init()
    ) -> Denial? {
        do throws(Denial) {
            try Rulebook(policy).require(act, to: caller, on: subject, showing: evidence)
            return nil
        } catch { return error }
    }

    private static let sensitive: [Act] = [
        .setPassword, .addAuthenticator, .removeAuthenticator, .makeRecoveryCodes, .addPasskey, .removePasskey,
        .addDeviceKey, .addAddress, .removeAddress, .choosePrimaryAddress, .changeUsername, .linkIdentity,
        .unlinkIdentity, .deleteAccount, .mergeAccounts,
    ]

    @Test(arguments: sensitive)
    func `91: an old session changes nothing about how its user signs in, on no way in`(_ act: Act) {
        for way in SessionStanding.Way.allCases {
            #expect(
                Self.denial(act, Self.session(way, recent: false), Self.user(), .addressProof)
                    == .missing(.recentSignIn))
            #expect(Self.denial(act, Self.session(way), Self.user(), .addressProof) == nil)
        }
    }

    @Test(arguments: sensitive)
    func `89: a session without the account's second factor changes nothing about how its user signs in`(_ act: Act) {
        for subject in [Self.user(app: true), Self.user(passkey: true)] {
            // A passkey stays what it is, whatever the password becomes.
            guard act != .setPassword || subject.user?.hasAuthenticator == true else { continue }
            #expect(Self.denial(act, Self.session(), subject, .addressProof) == .missing(.secondFactor))
            let both = Self.session(strong: true, several: true)
            #expect(Self.denial(act, both, subject, .addressProof) == nil)
        }
    }

    @Test(arguments: sensitive)
    func `a session in another user's name, or of an approval alone, changes nothing`(_ act: Act) {
        #expect(
            Self.denial(act, Self.session(impersonated: true), Self.user(), .addressProof) == .refused(.notOwner))
        #expect(
            Self.denial(act, Self.session(approval: true), Self.user(), .addressProof) == .missing(.recentSignIn))
    }

    @Test func `the setting for old sessions spares the wire alone, and never the second factor`() {
        let loose = AuthorityPolicy(oldSessionsChangeSignIn: true)
        let old = Self.session(recent: false)
        #expect(Self.denial(.setPassword, old, Self.user(), .none, loose) == nil)
        #expect(Self.denial(.setPassword, old, Self.user(app: true), .none, loose) == .missing(.secondFactor))
        for way in [SessionStanding.Way.page, .app] {
            #expect(
                Self.denial(.setPassword, Self.session(way, recent: false), Self.user(), .none, loose)
                    == .missing(.recentSignIn))
        }
    }

    @Test func `a password beside an authenticator needs two factors, if the account has two`() {
        let appAlone = Self.session(strong: true)
        #expect(Self.denial(.setPassword, appAlone, Self.user(app: true)) == .missing(.secondFactor))
        #expect(Self.denial(.setPassword, appAlone, Self.user(app: true, other: false)) == nil)
        #expect(Self.denial(.setPassword, Self.session(strong: true), Self.user(passkey: true)) == nil)
    }

    @Test func `93: an address is added only with its proof`() {
        #expect(Self.denial(.addAddress, Self.session(), Self.user()) == .missing(.addressProof))
        #expect(Self.denial(.proveAddress, .anonymous, Self.user()) == .missing(.addressProof))
        #expect(Self.denial(.proveAddress, .anonymous, Self.user(), .addressProof) == nil)
    }

    @Test func `no account with a second factor or a role is merged away`() {
        for subject in [Self.user(app: true), Self.user(passkey: true)] {
            #expect(
                Self.denial(.giveUpAccount, Self.session(strong: true, several: true), subject, .addressProof)
                    == .missing(.secondFactor))
        }
        for act in [Act.giveUpAccount, .mergeAccounts] {
            for subject in [Self.user(role: .viewer), Self.user(acts: true)] {
                #expect(Self.denial(act, Self.session(), subject, .addressProof) == .missing(.owner))
            }
        }
        #expect(
            Self.denial(.mergeIntoExisting, Self.session(), Self.user(), .addressProof) == .refused(.switchedOff))
        let loose = AuthorityPolicy(mergeIntoExisting: true)
        #expect(Self.denial(.mergeIntoExisting, Self.session(), Self.user(), .addressProof, loose) == nil)
    }

    private static let acts = Act.allCases.filter { RuleTable.rule($0, .operator)?.needs.contains(.lowerRole) == true }

    @Test(arguments: ConsoleRole.allCases)
    func `who acts as others is an owner's to change`(_ role: ConsoleRole) {
        let holder = Self.user(roles: ["r1", "r2"])
        for act in Self.acts {
            let denial = Self.denial(act, Self.operator(role, acting: ["r2"]), holder)
            #expect((denial == nil) == (role == .owner), "\(act)")
            #expect(Self.denial(act, Self.operator(.operator, acting: ["r3"]), holder) == nil, "\(act)")
        }
    }

    @Test(arguments: ConsoleRole.allCases)
    func `an operator touches no user with as much to say`(_ role: ConsoleRole) {
        #expect(Self.acts.count > 10)
        for act in Self.acts {
            for other in ConsoleRole.allCases where role != .owner && other >= role {
                #expect(Self.denial(act, Self.operator(role), Self.user(role: other)) != nil, "\(act) \(role) \(other)")
            }
        }
    }

    @Test func `what leads to the role owner needs an owner`() {
        for act in [Act.giveConsoleRole, .takeConsoleRole, .changeConnectionTrust, .registerManagementClient] {
            for role in ConsoleRole.allCases where role != .owner {
                #expect(Self.denial(act, Self.operator(role), .project(tenant: nil)) == .missing(.owner))
            }
            #expect(Self.denial(act, Self.operator(.owner), .project(tenant: nil)) == nil)
            #expect(
                Self.denial(act, Self.operator(.owner, recent: false), .project(tenant: nil))
                    == .missing(.recentSignIn))
        }
    }

    @Test(arguments: [user(role: .viewer, tenants: ["acme"]), user(tenants: ["acme"], acts: true)])
    func `a directory and a provider change no login ID of who has a console role or acts as others`(
        _ subject: Subject
    ) {
        for act in [Act.addAddress, .proveAddress, .removeAddress, .changeStatus, .changeUsername, .deleteAccount] {
            #expect(Self.denial(act, .directory(tenant: "acme"), subject) == .missing(.owner), "\(act)")
        }
        for act in [Act.linkIdentity, .proveAddress, .addAddress] {
            #expect(Self.denial(act, .provider(tenant: "acme"), subject, .addressProof) == .missing(.owner), "\(act)")
        }
    }

    @Test func `a directory changes no more than the membership of who acts as others`() {
        let member = Self.user(tenants: ["acme"], roles: ["r1"])
        let directory = Caller.directory(tenant: "acme")
        let acting = Self.user(tenants: ["acme"], roles: ["r1"], acts: true)
        for act in [Act.addAddress, .changeUsername, .changeStatus, .restoreAccess, .deleteAccount] {
            #expect(Self.denial(act, directory, member) == nil, "\(act)")
            #expect(Self.denial(act, directory, acting) == .missing(.owner), "\(act)")
        }
        for act in [Act.changeMemberships, .endSessions] {
            #expect(Self.denial(act, directory, acting) == nil, "\(act)")
        }
    }

    @Test func `a tenant's directory touches no user of another tenant`() {
        let other = Self.user(tenants: ["globex"])
        for act in Act.allCases where act != .createAccount {
            #expect(Self.denial(act, .directory(tenant: "acme"), other) != nil, "\(act)")
        }
    }

    @Test func `nobody but the user adds a factor`() {
        for act in [Act.addAuthenticator, .addPasskey, .makeRecoveryCodes, .addDeviceKey] {
            for caller in [
                Caller.anonymous, .recovery, Self.operator(.owner), .managementKey, .directory(tenant: "acme"),
                .provider(tenant: nil), .provider(tenant: "acme"),
            ] {
                #expect(
                    Self.denial(act, caller, Self.user(tenants: ["acme"]), .addressProof) == .refused(.notAllowed),
                    "\(act) \(caller)")
            }
        }
    }

    @Test func `a permission fails once what it rests on has changed`() throws {
        let allowed = try Self.strict.permit(Acts.AddPasskey.self, to: Self.session(), on: Self.user(epoch: 3))
        let grounds = allowed.grounds
        #expect(grounds.userID == "u1")
        func standing(_ subject: Subject) -> UserStanding { subject.user! }
        #expect(grounds.hold(for: standing(Self.user(epoch: 3))))
        #expect(!grounds.hold(for: standing(Self.user(epoch: 4))))
        #expect(!grounds.hold(for: standing(Self.user(epoch: 3, app: true))))
        #expect(!grounds.hold(for: standing(Self.user("u2", epoch: 3))))
        let byOperator = try Self.strict.permit(
            Acts.SetPassword.self, to: Self.operator(.operator), on: Self.user()
        ).grounds
        #expect(byOperator.hold(for: standing(Self.user(epoch: 9))))
        #expect(byOperator.hold(for: standing(Self.user(role: .support))))
        #expect(!byOperator.hold(for: standing(Self.user(role: .operator))))
    }
}
