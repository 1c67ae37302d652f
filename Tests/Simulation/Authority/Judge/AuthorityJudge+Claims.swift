import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import SignIn

@testable import StoreValues

/// What clients may hear, and what tenants may touch.
extension AuthorityJudge {
    /// 4: a tenant's directory or provider changed a user who is not the tenant's own.
    func foreignTenant(_ change: Change) -> String? {
        guard let tenant = change.act.traits.tenant else { return nil }
        for before in change.before.accounts where !change.before.isOf(tenant, before) {
            guard let after = change.after.account(before.user.id) else {
                return "4: \(tenant) removed \(change.before.name(of: before)), who is not its own"
            }
            var joined = after
            // A person who is of the tenant joins it, and nothing else.
            joined.memberships.tenants[tenant] = nil
            joined.user.updatedAt = before.user.updatedAt
            if joined != before { return "4: \(tenant) changed \(change.before.name(of: before)), who is not its own" }
        }
        for before in change.before.accounts where before.consoleRole != nil {
            guard let after = change.after.account(before.user.id), after.identifiers == before.identifiers else {
                return "4: \(tenant) changed the login IDs of \(change.before.name(of: before)), who has a role here"
            }
        }
        return nil
    }

    /// 5: a client heard a claim that was neither granted nor agreed to.
    func unagreedClaim(_ change: Change) -> String? {
        for heard in change.scene.heard {
            let claims = Set(heard.claims.keys).subtracting(UserClaims.protocolClaims)
            if let claim = claims.subtracting(heard.allowed).min() {
                return "5: \(heard.client) heard \(claim), which was not allowed"
            }
        }
        return nil
    }

    /// 6: an address is told of an account whose user never proved it.
    func unprovedAddress(_ change: Change) -> String? {
        for heard in change.scene.heard {
            guard let account = change.after.account(heard.user) else { continue }
            if let problem = Self.stranger(in: heard.claims, of: account, change.after) {
                return "6: \(heard.client) heard \(problem)"
            }
        }
        // What any session of the methods' wire would say, and any client with the usual scopes.
        for account in change.after.accounts where account.user.status == .active {
            let answer = UserAnswer(telling: account, server.services.directory, server.services.project.authority)
            let claims: [String: JSONValue] = ["email": .string(answer.email), "name": .string(answer.name)]
            let told = account.user.claims(withUnverifiedContacts: false)
            for (place, claims) in [("the wire", claims), ("a client", told)] {
                guard let problem = Self.stranger(in: claims, of: account, change.after) else { continue }
                return "6: \(place) would hear \(problem)"
            }
        }
        return nil
    }

    private static func stranger(in claims: [String: JSONValue], of account: Account, _ state: AuthorityState)
        -> String?
    {
        for claim in ["email", "preferred_username", "nickname"] {
            guard let text = claims[claim]?.stringValue, let person = Person.reading(text) else { continue }
            let isOwners = state.owner(of: account) == person || person.address == state.owner(of: account)?.address
            let isProved = Identifier(loginID: text).map(account.provedAddresses.contains) ?? false
            if !isOwners || !isProved {
                return "\(claim) \(text) of \(state.name(of: account))'s account\(isProved ? "" : ", never proved")"
            }
        }
        return nil
    }

    /// 9: a person who was deactivated has a session, or a membership in the tenant that did it.
    func deactivated(_ change: Change) -> String? {
        let state = change.after
        for account in state.accounts where ![.active, .invited].contains(account.user.status) {
            if let way = state.ways[account.user.id]?.first {
                return "9: \(way.person.rawValue) is in an account that is \(account.user.status) by \(way.way)"
            }
        }
        for (person, tenants) in Array(state.past.deactivated) + Array(state.past.removed) {
            for account in state.accounts where state.owner(of: account) == person {
                if let tenant = tenants.first(where: { account.memberships.tenants[$0] != nil }) {
                    return "9: \(person.rawValue) is still of \(tenant), which has deactivated her"
                }
            }
        }
        return nil
    }

    /// 10: a role that no source gives any more.
    func staleRole(_ change: Change) async throws -> String? {
        let state = change.after
        for account in state.accounts {
            let ids = account.memberships.roles + account.memberships.tenants.values.flatMap(\.self)
            guard !ids.isEmpty else { continue }
            let given = state.past.givenRoles[account.user.id] ?? []
            var sources = given
            for identity in try await server.services.stores.identities.identities(of: account.user.id) {
                sources.formUnion(state.past.groups["\(identity.key.connectionID)/\(identity.key.subject)"] ?? [])
            }
            for id in ids where !sources.contains(server.services.directory.roleName(id) ?? "") {
                let name = server.services.directory.roleName(id) ?? id
                return "10: \(state.name(of: account)) has the role \(name), which nothing gives any more"
            }
        }
        return nil
    }
}

extension AuthorityState {
    /// Whether a user is a tenant's: a member, or one of its directory, which keeps them out at the moment.
    fileprivate func isOf(_ tenant: String, _ account: Account) -> Bool {
        account.memberships.tenants[tenant] != nil
            || stores.resources.values.contains { $0.tenantID == tenant && $0.userID == account.user.id }
    }
}
