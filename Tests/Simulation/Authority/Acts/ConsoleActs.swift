import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// The console and the management interface, by an operator's session.
enum ConsoleActs {
    /// What the console demands of each form, then the form's own call.
    static func act(
        _ person: Person, _ name: String, for act: Act, keepsOut: Bool = false, opensAccounts: Bool = false,
        _ change: @escaping @Sendable (inout Scene, Actor) async throws -> Void
    ) -> AuthorityAct {
        AuthorityAct(
            name: "console: \(name)", person: person,
            traits: AuthorityAct.Traits(opensAccounts: opensAccounts, keepsOut: keepsOut),
            isPossible: { $0.holdings[person]?.cookies.isEmpty == false }
        ) { scene in
            let actor = try await scene.actor(for: act)
            try await change(&scene, actor)
        }
    }

    /// `operator/update`.
    static func give(_ person: Person, _ role: ConsoleRole?, to target: Person) -> AuthorityAct {
        act(person, "\(target.rawValue) gets the role \(role?.rawValue ?? "none")", for: .giveConsoleRole) {
            scene, actor in
            try await scene.services.managedOperators.set(
                role, of: scene.account(of: target), named: target.address, by: actor)
        }
    }

    static func setPassword(_ person: Person, of target: Person) -> AuthorityAct {
        act(person, "sets \(target.rawValue)'s password", for: .setPassword) { scene, actor in
            try await scene.services.managedUserAccess.setPassword(
                of: target.address, to: Secret(person.password), mustReplace: false, by: actor)
        }
    }

    static func changeAddress(_ person: Person, of target: Person, to address: String) -> AuthorityAct {
        act(person, "changes \(target.rawValue)'s address to \(address)", for: .changeProfile) { scene, actor in
            let account = try scene.account(of: target)
            var profile = ManagedUsers.Profile(account)
            profile.email = address
            _ = try await scene.services.managedUsers.save(profile, of: account, by: actor)
        }
    }

    static func addLoginID(_ person: Person, _ loginID: String, to target: Person) -> AuthorityAct {
        act(person, "gives \(target.rawValue) the login ID \(loginID)", for: .addAddress) { scene, actor in
            _ = try await scene.services.managedUsers.addLoginID(
                loginID, to: scene.account(of: target), by: actor)
        }
    }

    /// `user/patch` of the management interface: an address that the operator calls verified.
    static func verifyAddress(_ person: Person, of target: Person, _ address: String) -> AuthorityAct {
        act(person, "calls \(address) of \(target.rawValue) verified", for: .changeProfile) { scene, actor in
            let account = try scene.account(of: target)
            let body: [String: JSONValue] = [
                "userId": .string(account.user.id.rawValue), "email": .string(address), "verifiedEmail": true,
            ]
            _ = try await scene.services.managedUsers.patch(MethodBody(body), by: actor)
        }
    }

    static func removeFactor(_ person: Person, of target: Person) -> AuthorityAct {
        act(person, "removes \(target.rawValue)'s second factor", for: .removeAuthenticator) { scene, actor in
            try await scene.services.managedUserAccess.removeSecondFactor(
                of: scene.account(of: target), by: actor)
        }
    }

    static func setStatus(_ person: Person, _ status: User.Status, of target: Person) -> AuthorityAct {
        let act: Act = status == .active ? .restoreAccess : .changeStatus
        return self.act(person, "\(target.rawValue) is \(status.rawValue)", for: act, keepsOut: true) { scene, actor in
            try await scene.services.managedUserAccess.setStatus(
                status, of: scene.account(of: target), by: actor)
        }
    }

    static func delete(_ person: Person, _ target: Person) -> AuthorityAct {
        act(person, "deletes \(target.rawValue)", for: .deleteAccount, keepsOut: true) { scene, actor in
            let account = try scene.account(of: target)
            try await scene.services.managedUserAccess.delete(
                account, confirmedBy: account.user.id.rawValue, by: actor)
        }
    }

    static func merge(_ person: Person, _ other: Person, into target: Person) -> AuthorityAct {
        act(person, "merges \(other.rawValue) into \(target.rawValue)", for: .mergeAccounts) { scene, actor in
            _ = try await scene.services.managedUserAccess.merge(
                scene.account(of: other), into: scene.account(of: target), by: actor)
        }
    }

    static func impersonate(_ person: Person, _ target: Person) -> AuthorityAct {
        act(person, "acts as \(target.rawValue)", for: .impersonate) { scene, actor in
            let own = try await scene.owner().account
            let account = try scene.account(of: target)
            let answer = try await scene.services.sessions.impersonate(
                account, by: own, needsConsent: false, .init(MethodBody()), isSteppedUp: false,
                actor: actor)
            scene.keep(answer, of: account.user.id)
        }
    }

    static func giveRole(_ person: Person, _ role: String, to target: Person) -> AuthorityAct {
        act(person, "\(target.rawValue) gets the role \(role) of the project", for: .changeMemberships) {
            scene, actor in
            let account = try scene.account(of: target)
            let body: [String: JSONValue] = [
                "userId": .string(account.user.id.rawValue), "roleNames": [.string(role)],
            ]
            _ = try await scene.services.managedUsers.changeRoles(MethodBody(body), .add, by: actor)
            scene.state.past.givenRoles[account.user.id, default: []].insert(role)
        }
    }
}

extension ConsoleActs {
    /// A role of the project, by a program with a management key.
    static func giveRole(byMachine role: String, to target: Person) -> AuthorityAct {
        changeRole(role, of: target, .add, "gets")
    }

    static func removeRole(byMachine role: String, from target: Person) -> AuthorityAct {
        changeRole(role, of: target, .remove, "loses")
    }

    private static func changeRole(
        _ role: String, of target: Person, _ change: ManagedUsers.RoleChange, _ word: String
    ) -> AuthorityAct {
        AuthorityAct(name: "management: \(target.rawValue) \(word) the role \(role)", person: .olga) { scene in
            let account = try scene.account(of: target)
            let body: [String: JSONValue] = [
                "userId": .string(account.user.id.rawValue), "roleNames": [.string(role)],
            ]
            _ = try await scene.services.managedUsers.changeRoles(
                MethodBody(body), change, by: Actor("management", .managementKey))
            if word == "gets" {
                scene.state.past.givenRoles[account.user.id, default: []].insert(role)
            } else {
                scene.state.past.givenRoles[account.user.id]?.remove(role)
            }
        }
    }
}

extension Scene {
    /// The operator, as the console's checks make one (`ConsoleMiddleware`): the role as it is now, the session strong
    /// and of the last hours, and what the act demands of the sign-in.
    func actor(for act: Act) async throws -> Actor {
        let owner = try await owner()
        let demand = RuleTable.demand(onOperatorsFor: act)
        guard let own = owner.account.consoleRole, own >= demand.role || fault == .operatorGivesRoles else {
            throw Refused("the role \(demand.role.rawValue)")
        }
        let facts = owner.session.authentication
        guard facts.areStrong, !facts.isOfApproval, state.now < facts.time + Limits.consoleSeconds else {
            throw Refused("second_factor")
        }
        let isRecent = owner.isRecent(at: state.now) && owner.holdsEveryFactor
        guard isRecent || !demand.isRecent else { throw Refused("recent_sign_in") }
        let isOwners =
            fault == .operatorIsOwner && act == .changeConnection
            || fault == .operatorGivesRoles && act == .giveConsoleRole
        let role = isOwners ? ConsoleRole.owner : own
        return Actor(
            owner.userID.rawValue,
            .operator(OperatorStanding(user: owner.userID.rawValue, role: role, isRecent: isRecent, actingRoles: [])))
    }

    var fault: AuthorityFault? { server.settings.fault }

    /// The account that a person made first, or whose address is the person's.
    func account(of person: Person) throws -> Account {
        let own = state.accounts.filter { state.owner(of: $0) == person }
        guard let account = own.min(by: { $0.user.id.rawValue < $1.user.id.rawValue }) else { throw NothingToDo() }
        return account
    }
}
