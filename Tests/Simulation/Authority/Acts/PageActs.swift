import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// Sign-ins on this server's pages, and the settings behind them.
enum PageActs {
    /// A code by mail, then the account's second factor, then a session of the browser.
    static func signIn(_ person: Person, byCodeIn mailbox: Person) -> AuthorityAct {
        AuthorityAct(
            name: "signs in at the pages by a code in \(mailbox.rawValue)'s mailbox", person: person,
            isPossible: { state in state.letters.contains { $0.to == mailbox && $0.code != nil } }
        ) { scene in
            let letter = try scene.take(from: mailbox) { $0.code != nil }
            let proof = try await scene.services.methods.codes.verify(
                loginID: mailbox.address, code: Secret(letter.code ?? ""), method: .email, isPage: true,
                from: scene.network)
            try await scene.openPages(proof.identity.account, .email)
        }
    }

    /// A password, then the account's second factor, then a session of the browser.
    static func signIn(_ person: Person, as loginID: String, with owner: Person) -> AuthorityAct {
        AuthorityAct(
            name: "signs in at the pages as \(loginID) with \(owner.rawValue)'s password", person: person,
            isPossible: { person == owner || $0.holdings[person]?.passwords.contains(owner) == true }
        ) { scene in
            let outcome = try await scene.services.signIn.check(
                loginID: loginID, password: Secret(owner.password), from: scene.network)
            guard case .recognised(let user, _) = outcome, let account = scene.state.account(user.id) else {
                throw Refused("\(outcome)")
            }
            try await scene.openPages(account, .password)
        }
    }

    /// An act of the settings, which asks for a recent sign-in with every factor.
    static func settings(
        _ person: Person, _ name: String, isRecentOnly: Bool = true,
        _ change: @escaping @Sendable (inout Scene, AccountSettings, AccountOwner) async throws -> Void
    ) -> AuthorityAct {
        AuthorityAct(
            name: "settings: \(name)", person: person, isPossible: { $0.holdings[person]?.cookies.isEmpty == false }
        ) { scene in
            let owner = try await scene.owner()
            // `Checks.recent`.
            guard !isRecentOnly || owner.isRecent(at: scene.state.now) && owner.holdsEveryFactor else {
                throw Refused("recent_sign_in")
            }
            try await change(&scene, scene.services.settings, owner)
        }
    }

    static func setPassword(_ person: Person, knowing owner: Person? = nil) -> AuthorityAct {
        settings(person, "a new password") { scene, settings, signedIn in
            let outcome = try await settings.setPassword(
                Secret(person.password), current: Secret(owner?.password ?? ""), endsOthers: true, of: signedIn)
            guard case .saved(let cookie) = outcome else { throw Refused("\(outcome)") }
            scene.replaceCookie(by: cookie)
        }
    }

    /// A code is sent to the address; then it is entered.
    static func addAddress(_ person: Person, _ address: String) -> AuthorityAct {
        settings(person, "adds \(address)") { scene, settings, owner in
            let sending = try await settings.sendCode(to: address, of: owner)
            guard case .sent(let pending) = sending else { throw Refused("\(sending)") }
            let messages = try await scene.services.messages.newest(limit: 5).map(\.message)
            guard let reader = Person.reading(address), reader == person,
                let code = messages.last(where: { $0.to == address })?.code
            else { return }
            let proving = try await settings.prove(pending, code: Secret(code), of: owner)
            guard [.added, .verified].contains(proving) else { throw Refused("\(proving)") }
        }
    }

    static func removeAddress(_ person: Person, _ address: String) -> AuthorityAct {
        settings(person, "removes \(address)") { _, settings, owner in
            guard let identifier = Identifier(loginID: address) else { throw NothingToDo() }
            let ways = SignInWays(passwords: true, passkeys: true, reached: [.email], connections: [])
            if let problem = try await settings.remove(identifier, of: owner, leaving: ways) {
                throw Refused("\(problem)")
            }
        }
    }

    static func makePrimary(_ person: Person, _ address: String) -> AuthorityAct {
        settings(person, "makes \(address) the one for messages") { _, settings, owner in
            guard let identifier = Identifier(loginID: address),
                try await settings.makePrimary(identifier, of: owner)
            else { throw Refused("not one's own") }
        }
    }

    static func setUpAuthenticator(_ person: Person) -> AuthorityAct {
        settings(person, "sets up an authenticator") { scene, settings, owner in
            guard let id = try await settings.beginAuthenticator(of: owner),
                let setup = try await settings.setup(id, of: owner)
            else { throw Refused("second_factor") }
            let secret = setup.key.exposed()
            let codes = try await scene.withCode(of: secret) { code in
                try await settings.confirmAuthenticator(id, code: code, of: owner)
            }
            guard codes != nil else { throw Refused("wrong code") }
            scene.holdings.authenticators.insert(secret)
        }
    }

    static func removeAuthenticator(_ person: Person) -> AuthorityAct {
        settings(person, "removes the authenticator") { _, settings, owner in
            guard let id = try await settings.authenticators(of: owner).first?.id,
                try await settings.removeAuthenticator(id, of: owner)
            else { throw Refused("second_factor") }
        }
    }

    static func endOthers(_ person: Person) -> AuthorityAct {
        settings(person, "ends every other session", isRecentOnly: false) { _, settings, owner in
            try await settings.endOthers(by: owner)
        }
    }

    static func deleteAccount(_ person: Person) -> AuthorityAct {
        settings(person, "deletes the account") { _, settings, owner in try await settings.delete(owner) }
    }
}

extension Scene {
    /// The owner of the person's newest browser session.
    func owner() async throws -> AccountOwner {
        guard let held = holdings.cookies.last else { throw NothingToDo() }
        guard let owner = try await services.signIn.owner(of: Secret(held.cookie), from: network) else {
            throw Refused("no session")
        }
        return owner
    }

    /// Opens a session of the browser, after the second factor that the account asks for.
    mutating func openPages(_ account: Account, _ method: AuthenticationMethod) async throws {
        let services = server.services
        var facts = try SecondFactor.combine(method, with: nil, mustCombine: false, at: state.now)
        if let factor = try await services.methods.requiredFactor(of: account.user.id) {
            guard let secret = holdings.authenticators.min() else { throw Refused("second_factor") }
            let network = network
            let shown = try await withCode(of: secret) { code in
                try await services.methods.checkSecond(account, code: code, by: factor, from: network)
            }
            facts = try SecondFactor.combine(shown, with: facts, mustCombine: true, at: state.now)
        } else if try await services.needsSecondFactor(account.user.id) {
            throw Refused("second_factor_setup")
        }
        let origin = SessionOrigin(address: network.text, device: nil)
        guard
            let (session, cookie) = try await services.signIn.openSession(
                for: account.user, facts, replacing: nil, from: origin)
        else { throw Refused("overtaken") }
        holdings.cookies.append(
            HeldCookie(cookie: cookie.exposed(), session: session.id, user: session.userID))
    }

    mutating func replaceCookie(by cookie: Secret) {
        guard let old = holdings.cookies.popLast() else { return }
        holdings.cookies.append(HeldCookie(cookie: cookie.exposed(), session: old.session, user: old.user))
    }
}
