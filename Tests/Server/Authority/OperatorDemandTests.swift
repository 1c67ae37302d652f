import Testing

@testable import Authority

@Suite("What doors ask of operators")
struct OperatorDemandTests {
    /// An operator who passes the door is not asked for a role or a sign-in again by the rule of the same act.
    @Test(arguments: Act.allCases)
    func `a door asks for the role and the sign-in of its rule, and for no more`(_ act: Act) throws {
        let demand = RuleTable.demand(onOperatorsFor: act)
        let rulebook = Rulebook(AuthorityPolicy())
        let isPossible = RuleTable.rows.contains { $0.act == act && $0.caller == .operator }
        for role in ConsoleRole.allCases {
            for isRecent in [false, true] {
                let caller = Caller.operator(
                    OperatorStanding(user: "o", role: role, isRecent: isRecent, actingRoles: []))
                let passes = role >= demand.role && (isRecent || !demand.isRecent)
                #expect(
                    rulebook.allows(act, to: caller, on: .newUser) == (passes && isPossible),
                    "\(act) as \(role), recent: \(isRecent)")
            }
        }
    }

    @Test func `what no operator may do has the highest door`() {
        #expect(
            RuleTable.demand(onOperatorsFor: .openSessions) == OperatorDemand(role: .owner, isRecent: true))
    }
}
