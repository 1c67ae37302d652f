internal import KeyturnBase
internal import Model

extension ValueUserStore {
    func search(_ query: UserQuery) throws(StoreError) -> [Account] {
        try database.read { world in
            var found = world.accounts.filter { query.matches($0) }
            if query.sort == [UserQuery.Sort(.createdTime, isDescending: true)] { found.reverse() }
            // The sort is stable: the last key first.
            for key in query.sort.reversed() { found = key.ordered(found) }
            return Array(found.dropFirst(query.limit * query.page).prefix(query.limit))
        }
    }

    func count(_ query: UserQuery) throws(StoreError) -> Int {
        try database.read { world in
            let count = world.users.values.count { query.matches(world.account($0)) }
            return query.countMax.map { min($0, count) } ?? count
        }
    }
}

extension UserQuery {
    fileprivate func matches(_ account: Account) -> Bool {
        let user = account.user
        switch testUsers {
        case .without where user.isTest: return false
        case .only where !user.isTest: return false
        default: break
        }
        return (users.isEmpty || users.contains(user.id)) && (statuses.isEmpty || statuses.contains(user.status))
            && matchesMemberships(account.memberships)
            && identifiers.allSatisfy { $0.contains { account.identifiers[$0] != nil } }
            && (text.map { Self.holds(account, $0) } ?? true)
            && attributes.allSatisfy { user.attributes[$0.key] == $0.value }
            && (createdFrom.map { user.createdAt >= $0 } ?? true)
            && (createdBefore.map { user.createdAt < $0 } ?? true)
            && (updatedFrom.map { user.updatedAt >= $0 } ?? true)
            && (updatedBefore.map { user.updatedAt < $0 } ?? true)
    }

    private static func holds(_ account: Account, _ text: String) -> Bool {
        account.identifiers.keys.contains { $0.value.contains(text) }
            || account.user.claims["name"]?.stringValue?.lowercased().contains(text) == true
    }

    private func matchesMemberships(_ memberships: Memberships) -> Bool {
        guard tenants.isEmpty || tenants.contains(where: { memberships.tenants[$0] != nil }) else { return false }
        let held = Set(memberships.roles).union(memberships.tenants.values.flatMap(\.self))
        guard roles.isEmpty || roles.contains(where: held.contains) else { return false }
        return tenantRoles.isEmpty
            || tenantRoles.contains { wanted in
                let own = Set(memberships.tenants[wanted.tenant] ?? [])
                let matching = own.intersection(wanted.roles).count
                return matching >= max(1, wanted.needsAll ? Set(wanted.roles).count : 1)
            }
    }
}

extension UserQuery.Sort {
    /// Accounts without a value come last.
    fileprivate func ordered(_ accounts: [Account]) -> [Account] {
        let named = accounts.map { (account: $0, value: value(of: $0)) }
        let sorted = named.enumerated().sorted { one, other in
            switch (one.element.value, other.element.value) {
            case (let left?, let right?) where left != right: return isDescending ? right < left : left < right
            case (_?, nil): return true
            case (nil, _?): return false
            default: return one.offset < other.offset
            }
        }
        return sorted.map(\.element.account)
    }

    private func value(of account: Account) -> Value? {
        func claim(_ name: String) -> Value? { account.user.claims[name]?.stringValue.map { .text($0.lowercased()) } }
        switch key {
        case .createdTime: return .time(account.user.createdAt)
        case .modifiedTime: return .time(account.user.updatedAt)
        case .name: return claim("name")
        case .givenName: return claim("given_name")
        case .familyName: return claim("family_name")
        case .email: return claim("email")
        case .phone: return claim("phone_number")
        case .status: return .text(account.user.status.rawValue)
        case .userId: return .text(account.user.id.rawValue)
        case .loginId: return account.identifiers.keys.map(\.value).min().map { .text($0) }
        }
    }

    private enum Value: Comparable {
        case time(UnixTime)
        case text(String)
    }
}
