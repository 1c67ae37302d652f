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

    func give(
        _ role: ConsoleRole, by allowed: consuming Allowed<Acts.GiveConsoleRole>, named actor: String,
        knownBy address: Identifier?, keepingOwner: Bool, at now: UnixTime
    ) throws(StoreError) -> ConsoleRoleChange {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            let account = try world.permitted(grounds)
            let before = account.consoleRole
            guard before != role else { return .unchanged }
            if keepingOwner, before == .owner, !world.hasOwner(besides: user) { return .lastOwner }
            let isVoided = account.user.othersAt != nil
            if isVoided {
                guard let known = account.known(by: address) else {
                    throw StoreError(.forbidden, cause: UnknownAddress())
                }
                world.voidCredentials(of: user, keeping: nil, at: now)
                // As it is now: the roles that its identities gave are gone.
                guard var left = world.account(user) else { throw StoreError(.missing) }
                left.keepOnly(known)
                _ = try world.replace(left, at: now)
                world.users[user]?.user.othersAt = nil
                world.users[user]?.user.operatorsAt = nil
            }
            world.consoleOperators[user] = ConsoleOperator(userID: user, role: role, since: now, grantedBy: actor)
            return .changed(from: before, isVoided: isVoided)
        }
    }

    func take(by allowed: consuming Allowed<Acts.TakeConsoleRole>, keepingOwner: Bool) throws(StoreError)
        -> ConsoleRoleChange
    {
        let grounds = allowed.grounds
        let user = grounds.user
        return try database.write { world in
            guard let before = try world.permitted(grounds).consoleRole else { return .unchanged }
            if keepingOwner, before == .owner, !world.hasOwner(besides: user) { return .lastOwner }
            world.consoleOperators[user] = nil
            return .changed(from: before)
        }
    }
}

extension StoreWorld {
    /// Whether an owner remains who can enter.
    fileprivate func hasOwner(besides user: UserID) -> Bool {
        consoleOperators.values.contains {
            $0.role == .owner && $0.userID != user && users[$0.userID]?.user.status == .active
        }
    }

    /// Refuses that an owner ends, or may no longer sign in, unless another one can enter the console.
    func requireAnotherOwner(than account: Account) throws(StoreError) {
        guard account.consoleRole == .owner, !hasOwner(besides: account.user.id) else { return }
        throw StoreError(.forbidden, cause: LastOwner())
    }
}

extension ConsoleOperator {
    fileprivate var rank: (Int, UnixTime, String) { (role == .owner ? 0 : 1, since, userID.rawValue) }
}
