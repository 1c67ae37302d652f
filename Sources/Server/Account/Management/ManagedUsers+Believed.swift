internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Whose an address is, by an operator's word, and who acts as others.
extension ManagedUsers {
    /// Who acts as other users is an owner's to say, whichever call gives the role. Who has it already keeps it.
    func requireOwner(toGive memberships: Memberships, besides present: Memberships, by actor: Actor) throws(Denial) {
        guard ActingPermissions.areAdded(by: memberships, to: present, directory) else { return }
        try project.rulebook.require(.takeConsoleRole, to: actor.caller, on: .project(tenant: nil))
    }

    /// Refuses an operator who gives a user the address by which another user signs in, or that another one has proved:
    /// clients would take the one for the other. Programs with a management key know what they do.
    func requireOwnAddresses(_ account: Account, was old: Account?, by actor: Actor) async throws {
        guard case .operator = actor.caller else { return }
        let addresses = [
            (account.email, account.isEmailVerified, old?.email, old?.isEmailVerified),
            (account.phone, account.isPhoneVerified, old?.phone, old?.isPhoneVerified),
        ]
        for (address, isVerified, former, wasVerified) in addresses {
            guard let identifier = address.flatMap(Identifier.init(loginID:)),
                address != former || isVerified && wasVerified != true
            else { continue }
            try await requireNoContact(identifier, besides: account)
            guard let holder = try await stores.users.account(identifier), holder.user.id != account.user.id,
                !isVerified || holder.identifiers[identifier] == .verified
            else { continue }
            throw MethodProblem.userExists
        }
        for identifier in account.identifiers.keys where old?.identifiers[identifier] == nil {
            try await requireNoContact(identifier, besides: account)
        }
    }

    private func requireNoContact(_ address: Identifier, besides account: Account) async throws {
        guard try await stores.users.isContact(address, besides: account.user.id) else { return }
        throw MethodProblem.userExists
    }

    /// Before anything is taken out of an account: the change that follows would be refused.
    func requireFree(_ identifiers: [Identifier], for account: Account) async throws {
        for identifier in identifiers {
            guard let holder = try await stores.users.account(identifier), holder.user.id != account.user.id else {
                continue
            }
            guard holder.identifiers[identifier] != .verified else { throw MethodProblem.userExists }
        }
    }

    /// Takes login IDs that an operator calls verified away from accounts that only claim them.
    func releaseClaims(on account: Account, was old: Account?, by actor: Actor) async throws(StoreError) {
        let claims = UnprovedClaims(
            stores: stores, rulebook: project.rulebook, notices: notices, audit: audit, ambient: ambient)
        for (identifier, state) in account.identifiers
        where state == .verified && identifier.kind != .username && old?.identifiers[identifier] == nil {
            try await claims.release(identifier, for: account.user.id, by: actor.caller)
        }
    }

    /// The login IDs that a change marks as verified, of a user who only claimed them and has proved no address. The
    /// operator's word has the effect of a verification by the owner: other addresses are forgotten. They stay where the
    /// change proves a contact or a new login ID.
    static func believed(_ found: Account, _ changed: Account) -> Set<Identifier> {
        guard found.isStrangers(onceItBecomes: changed) else { return [] }
        return Set(
            found.identifiers.filter { $0.value == .unverified && changed.identifiers[$0.key] == .verified }.keys)
    }
}
