/// What an operator may do in the console. Each role may do what the ones before it may.
public enum ConsoleRole: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Sees everything that is no secret.
    case viewer
    /// Helps users: ends sessions, resets passwords, disables accounts.
    case support
    /// Changes tenants, roles, connections, clients and keys.
    case `operator`
    /// Decides who is an operator.
    case owner

    public static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .operator: 2
        case .owner: 3
        }
    }
}
