internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// What users allowed clients.
struct ValueConsentStore: ConsentStore {
    let database: ValueDatabase

    func consent(of user: UserID, to clientID: String) throws(StoreError) -> Consent {
        try database.read { world in
            let row = world.consents[ConsentKey(userID: user, clientID: clientID)] ?? ConsentRow()
            return Consent(scope: Scope(names: row.scopes.sorted()), claims: row.claims)
        }
    }

    func remember(
        _ consent: Consent, redirectURI: String?, of user: UserID, to clientID: String, at now: UnixTime
    ) throws(StoreError) {
        try database.write { world in
            var row = world.consents[ConsentKey(userID: user, clientID: clientID)] ?? ConsentRow()
            row.scopes.formUnion(consent.scope.names)
            row.claims.formUnion(consent.claims)
            if let redirectURI { row.redirectURIs.insert(redirectURI) }
            guard row != ConsentRow() else { return }
            guard world.users[user] != nil else { throw StoreError(.conflict) }
            world.consents[ConsentKey(userID: user, clientID: clientID)] = row
        }
    }

    func includes(redirectURI: String, of user: UserID, to clientID: String) throws(StoreError) -> Bool {
        try database.read { world in
            world.consents[ConsentKey(userID: user, clientID: clientID)]?.redirectURIs.contains(redirectURI) ?? false
        }
    }

    func withdraw(from user: UserID, to clientID: String, at now: UnixTime) throws(StoreError) {
        try database.write { world in
            world.consents[ConsentKey(userID: user, clientID: clientID)] = nil
            world.endGrants(.revoked, at: now) { $0.grant.userID == user && $0.grant.clientID == clientID }
        }
    }
}
