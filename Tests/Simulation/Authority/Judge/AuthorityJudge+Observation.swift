import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// Who has which ways into which account, read from the stores by the server's own functions.
extension AuthorityJudge {
    func observe(_ state: inout AuthorityState) async throws {
        let services = server.services
        state.accounts = try await services.stores.users.accounts(after: nil, limit: 100)
        var ways: [UserID: Set<Possession>] = [:]
        for account in state.accounts where [.active, .invited].contains(account.user.status) {
            ways[account.user.id] = try await credentials(of: account, state)
        }
        for (person, holdings) in state.holdings {
            for session in holdings.sessions {
                guard let live = try await services.stores.grants.live(session.grant, at: state.now) else { continue }
                ways[live.user.id, default: []].insert(Possession(person: person, way: .grant(session.grant)))
            }
            for cookie in holdings.cookies {
                guard let (session, user) = try await services.signIn.session(of: Secret(cookie.cookie)) else {
                    continue
                }
                ways[user.id, default: []].insert(Possession(person: person, way: .browser(session.id)))
            }
        }
        state.ways = ways
    }

    private func credentials(of account: Account, _ state: AuthorityState) async throws -> Set<Possession> {
        let stores = server.services.stores
        var ways: Set<Possession> = []
        if let hash = account.passwordHash, let owner = try await server.book.owner(ofHash: hash) {
            ways.insert(Possession(person: owner, way: .password(owner)))
            for (person, holdings) in state.holdings where holdings.passwords.contains(owner) {
                ways.insert(Possession(person: person, way: .password(owner)))
            }
        }
        for address in account.provedAddresses {
            guard let reader = Person.reading(address.value) else { continue }
            ways.insert(Possession(person: reader, way: .address(reader)))
        }
        if account.hasAuthenticator {
            let stored = try await stores.authenticators.authenticators(of: .user(account.user.id), at: state.now)
            for secret in stored.filter(\.isConfirmed).compactMap(server.book.secret) {
                for (person, holdings) in state.holdings where holdings.authenticators.contains(secret) {
                    ways.insert(Possession(person: person, way: .authenticator))
                }
            }
        }
        for identity in try await stores.identities.identities(of: account.user.id) {
            let name = identity.key.subject.prefix { $0 != "-" }
            guard let person = Person(rawValue: String(name)) else { continue }
            ways.insert(Possession(person: person, way: .identity(identity.key.connectionID)))
        }
        return ways
    }
}
