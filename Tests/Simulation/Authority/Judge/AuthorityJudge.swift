import Authority
import KeyturnBase
import KeyturnWire
import Model

/// What may never happen, whichever model runs. The numbers are those of the section in the README.
struct AuthorityJudge {
    let server: AuthorityServer

    /// - Parameter messages: what the act had sent.
    /// - Returns: what is wrong with the act, or with the state after it; `nil`: nothing.
    func problem(
        _ act: AuthorityAct, _ scene: Scene, from before: AuthorityState, to after: AuthorityState,
        told messages: [OutgoingMessage]
    ) async throws -> String? {
        let change = Change(act: act, scene: scene, before: before, after: after, messages: messages)
        let rules: [(Change) -> String?] = [
            intruder, silence, consoleRole, foreignTenant, unagreedClaim, unprovedAddress, closedSignUp, wrongEnd,
            deactivated,
        ]
        for rule in rules {
            if let problem = rule(change) { return problem }
        }
        return try await staleRole(change)
    }

    /// One act, and what it made of a state.
    struct Change {
        let act: AuthorityAct
        let scene: Scene
        let before: AuthorityState
        let after: AuthorityState
        let messages: [OutgoingMessage]

        /// Accounts that are there since this act.
        var newAccounts: [Account] { after.accounts.filter { before.account($0.user.id) == nil } }
    }

    /// 1: another person has a way into a protected person's account, or a session of it.
    private func intruder(_ change: Change) -> String? {
        let state = change.after
        for account in state.accounts {
            guard let owner = state.owner(of: account), server.settings.protected.contains(owner) else { continue }
            for possession in state.ways[account.user.id] ?? [] where possession.person != owner {
                guard !state.past.excused.contains(possession) else { continue }
                return "1: \(possession.person.rawValue) is in \(owner.rawValue)'s account by \(possession.way)"
            }
        }
        return nil
    }

    /// 2: a protected person's way in is gone by another one's act, and no message told.
    private func silence(_ change: Change) -> String? {
        guard !change.act.traits.keepsOut else { return nil }
        for person in Person.protected where person != change.act.person {
            let lost = change.before.waysIn(of: person).subtracting(change.after.waysIn(of: person))
            guard let way = lost.first, change.before.provedAddresses.contains(person.address) else { continue }
            let isTold = change.messages.contains { message in
                !message.isDecoy && message.code == nil && Self.isNotice(message.kind)
                    && Person.reading(message.to) == person
            }
            if !isTold { return "2: \(person.rawValue) lost \(way.way), and nothing told her" }
        }
        return nil
    }

    private static func isNotice(_ kind: MessageKind) -> Bool {
        ![.code, .magicLink, .enchantedLink, .passwordReset, .verifyAddress, .alreadyRegistered, .invitation]
            .contains(kind)
    }

    /// 3: a role in the console that no owner gave.
    private func consoleRole(_ change: Change) -> String? {
        for account in change.after.accounts {
            guard let role = account.consoleRole else { continue }
            let given = change.after.past.consoleRoles[account.user.id].flatMap(ConsoleRole.init(rawValue:))
            if given.map({ $0 < role }) ?? true {
                return "3: \(change.after.name(of: account)) is \(role.rawValue) without an owner's act"
            }
        }
        return nil
    }

    /// 7: an account that the project's sign-up does not admit.
    private func closedSignUp(_ change: Change) -> String? {
        guard !change.act.traits.opensAccounts else { return nil }
        let policy = server.settings.expectedSignUp ?? server.settings.policy.signUp
        for account in change.newAccounts {
            switch policy {
            case .open: continue
            case .invited where change.act.traits.tenant != nil: continue
            case .domains(let domains):
                let addresses = account.identifiers.filter { $0.value == .verified && $0.key.kind == .email }.keys
                if addresses.contains(where: { domains.contains(EmailDomain(ofAddress: $0.value)?.name ?? "") })
                    || change.act.traits.tenant != nil
                {
                    continue
                }
            case .invited, .off: break
            }
            return "7: \(change.act.label) opened an account, and sign-up is \(policy)"
        }
        return nil
    }

    /// 8: a token or a session that is taken after its end, or refused before.
    private func wrongEnd(_ change: Change) -> String? {
        for trial in change.scene.trials where trial.isTaken != trial.shouldBe {
            return "8: \(trial.what) is \(trial.isTaken ? "taken after its end" : "refused, and its grant lives")"
        }
        return nil
    }
}

extension AuthorityState {
    /// Whose account it is: of the protected person whose address is a proved login ID of it; else of who made it.
    func owner(of account: Account) -> Person? {
        // The user who got the address later.
        if past.makers[account.user.id] == .nina { return .nina }
        let proved = account.identifiers.filter { $0.value == .verified }.keys.map(\.value)
        if let person = Person.protected.first(where: { proved.contains($0.address) }) { return person }
        return past.makers[account.user.id]
    }

    /// A person's ways in, into whichever account.
    func waysIn(of person: Person) -> Set<Possession> {
        ways.values.reduce(into: []) { found, ways in
            found.formUnion(ways.filter { $0.person == person && $0.way.isWayIn })
        }
    }

    var provedAddresses: Set<String> {
        accounts.reduce(into: []) { $0.formUnion($1.provedAddresses.map(\.value)) }
    }

    func name(of account: Account) -> String {
        owner(of: account)?.rawValue ?? account.identifiers.keys.map(\.value).min() ?? account.user.id.rawValue
    }
}
