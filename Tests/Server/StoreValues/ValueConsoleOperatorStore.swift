internal import Authority
internal import KeyturnBase
internal import Model

/// Operators of the console.
struct ValueConsoleOperatorStore: ConsoleOperatorStore {
    let database: ValueDatabase

    func role(of user: UserID) throws(StoreError) -> ConsoleRole? {
        try database.read { $0.consoleOperators[user]?.role }
    }

    func all(limit: Int) throws(StoreError) -> [ConsoleOperator] {
        try database.read { world in
            let sorted = world.consoleOperators.values.sorted { $0.rank < $1.rank }
            return Array(sorted.prefix(limit))
        }
    }

    func set(
        _ role: ConsoleRole?, by allowed: consuming Allowed<Acts.GiveConsoleRole>, named actor: String,
        keepingOwner: Bool, at now: UnixTime
    ) throws(StoreError) -> ConsoleRoleChange {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            let before = try world.permitted(grounds).consoleRole
            guard before != role else { return .unchanged }
            if keepingOwner, before == .owner {
                let others = world.consoleOperators.values.contains { $0.role == .owner && $0.userID != user }
                guard others else { return .lastOwner }
            }
            world.consoleOperators[user] = role.map {
                ConsoleOperator(userID: user, role: $0, since: now, grantedBy: actor)
            }
            return .changed(from: before)
        }
    }
}

extension ConsoleOperator {
    fileprivate var rank: (Int, UnixTime, String) { (role == .owner ? 0 : 1, since, userID.rawValue) }
}
