/// What an act demands of an operator before it is known whom it concerns: what a page or a call can ask for at its door.
public struct OperatorDemand: Hashable, Sendable {
    /// The lowest role.
    public let role: ConsoleRole
    /// Whether the sign-in must be one of the last `Limits.sensitiveSeconds`.
    public let isRecent: Bool
}

extension RuleTable {
    /// - Returns: for what no operator may do, an owner's recent sign-in: the rulebook refuses all the same.
    public static func demand(onOperatorsFor act: Act) -> OperatorDemand {
        guard let needs = rule(act, .operator)?.needs else { return OperatorDemand(role: .owner, isRecent: true) }
        var role = ConsoleRole.viewer
        for case .role(let needed) in needs { role = max(role, needed) }
        return OperatorDemand(role: role, isRecent: needs.contains(.recentOperator))
    }
}
