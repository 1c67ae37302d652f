internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// What users allowed clients.
struct ValueConsentStore: ConsentStore {
    let database: ValueDatabase

    func consent(of user: UserID, to clientID: String) throws(StoreError) -> Consent {
        try database.read { world in
            let row = world.consents[ConsentKey(userID: user, clientID: clientID)] ?? ConsentRow()
            return Consent(
                scope: Scope(names: row.scopes.keys.sorted()), claims: Set(row.claims.keys),
                resources: Set(row.resources.keys))
        }
    }

    func clients(of user: UserID) throws(StoreError) -> [String] {
        try database.read { world in
            let rows = world.consents.filter { key, row in
                key.userID == user && !(row.scopes.isEmpty && row.claims.isEmpty && row.resources.isEmpty)
            }
            return Array(rows.keys.map(\.clientID).sorted().prefix(Limits.sessionsListedMax))
        }
    }

    func remember(
        _ consent: Consent, redirectURI: String?, of user: UserID, to clientID: String, at now: UnixTime
    ) throws(StoreError) {
        try database.write { world in
            var row = world.consents[ConsentKey(userID: user, clientID: clientID)] ?? ConsentRow()
            for name in consent.scope.names { row.scopes[name] = row.scopes[name] ?? now }
            for claim in consent.claims { row.claims[claim] = row.claims[claim] ?? now }
            for resource in consent.resources { row.resources[resource] = row.resources[resource] ?? now }
            if let redirectURI { row.redirectURIs[redirectURI] = row.redirectURIs[redirectURI] ?? now }
            guard row != ConsentRow() else { return }
            guard world.users[user] != nil else { throw StoreError(.conflict) }
            world.consents[ConsentKey(userID: user, clientID: clientID)] = row
        }
    }

    func includes(redirectURI: String, of user: UserID, to clientID: String) throws(StoreError) -> Bool {
        try database.read { world in
            world.consents[ConsentKey(userID: user, clientID: clientID)]?.redirectURIs[redirectURI] != nil
        }
    }

    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) throws(StoreError) {
        try database.write { world in
            world.consents[ConsentKey(userID: user, clientID: clientID)] = nil
            world.endGrants(.revoked, at: now) { $0.grant.userID == user && $0.grant.clientID == clientID }
        }
    }
}
