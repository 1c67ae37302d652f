import Authority
import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import SignIn

@Suite("B-9: what an approval counts for beside other methods")
struct ApprovalFactorTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func facts(_ first: AuthenticationMethod, _ second: AuthenticationMethod) throws -> AuthenticationFacts {
        let before = try SecondFactor.combine(first, with: nil, mustCombine: false, at: now)
        return try SecondFactor.combine(second, with: before, mustCombine: true, at: now + 1)
    }

    @Test(arguments: [AuthenticationMethod.password, .email, .sms, .social, .federated, .approval])
    func `it may rest on the same method, and is no second factor`(other: AuthenticationMethod) throws {
        for (first, second) in [(AuthenticationMethod.approval, other), (other, .approval)] {
            let methods = try facts(first, second).methods
            #expect(!methods.contains(AuthenticationMethod.severalFactors), "\(first) \(second)")
        }
    }

    @Test(arguments: [AuthenticationMethod.totp, .passkey])
    func `an authenticator app or a passkey after it makes two`(second: AuthenticationMethod) throws {
        let facts = try facts(.approval, second)
        #expect(facts.methods == ["approval", second.word, AuthenticationMethod.severalFactors])
        #expect(facts.inReferences.methods.first == "mca")
    }

    @Test func `B-13: an approval alone is never good enough to change how its user signs in`() throws {
        let alone = try SecondFactor.combine(.approval, with: nil, mustCombine: false, at: now)
        for facts in [alone, alone.inReferences, try facts(.approval, .password)] {
            #expect(facts.isOfApproval && !facts.mayChangeSignIn(at: now + 1))
            let problem = #expect(throws: MethodProblem.self) {
                try presented(facts).require(.addPasskey, Rulebook(AuthorityPolicy()), at: facts.time)
            }
            #expect(problem?.missing == .recentSignIn)
            try presented(facts).requireOwner()
        }
        for facts in [try facts(.approval, .totp), .password(at: now)] {
            #expect(!facts.isOfApproval)
            #expect(facts.mayChangeSignIn(at: facts.time + Limits.sensitiveSeconds - 1))
            #expect(!facts.mayChangeSignIn(at: facts.time + Limits.sensitiveSeconds))
            try presented(facts).require(.addPasskey, Rulebook(AuthorityPolicy()), at: facts.time)
        }
    }

    private func presented(_ facts: AuthenticationFacts) -> PresentedRefresh {
        let grant = Grant(
            id: .make(.live), clientID: "app", userID: andy.user.id, sessionID: nil, scope: .none, resources: [],
            authentication: facts, nonce: nil, claimsRequest: nil, createdAt: now, idleExpiresAt: now + 1,
            absoluteExpiresAt: now + 1)
        return PresentedRefresh(account: andy, grant: grant, isLate: false)
    }

    private var andy: Account {
        Account(
            user: User(id: UserID(rawValue: "andy"), claims: [:], createdAt: now, updatedAt: now), identifiers: [:],
            passwordHash: nil)
    }

    @Test func `B-8: what was collected before a sign-out everywhere opens nothing after it`() throws {
        func outcome(epoch: Int64, _ account: Account?) -> Bool {
            let answer = ApprovalAnswer.approved(andy.user.id, epoch: epoch, authenticatedAt: now)
            if case .approved = Approvals.outcome(of: answer, account, since: nil) { return true }
            return false
        }
        #expect(outcome(epoch: andy.user.epoch, andy))
        #expect(!outcome(epoch: andy.user.epoch - 1, andy), "signed out in between")
        #expect(!outcome(epoch: andy.user.epoch, nil))
    }
}
