import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// What a session of the methods' wire changes about its user's account.
extension WireActs {
    /// `otp/update/email`, or by a link: a message is sent to the new address.
    static func updateAddress(
        _ person: Person, to address: String, byLink: Bool = false, adds: Bool = true, merges: Bool = false,
        in session: Int = 0
    ) -> AuthorityAct {
        let way = byLink ? "magiclink" : "otp"
        let flags = (adds ? ", addToLoginIDs" : "") + (merges ? ", onMergeUseExisting" : "")
        return AuthorityAct(
            name: "\(way)/update/email \(address)\(flags) in session \(session)", person: person,
            isPossible: { ($0.holdings[person]?.sessions.count ?? 0) > session }
        ) { scene in
            let presented = try await scene.presented(session)
            let update = AddressUpdate(
                presented, loginID: try scene.loginID(of: presented), address: address, method: .email,
                addsToLoginIDs: adds, mergesIntoExisting: merges, from: scene.network)
            if byLink {
                _ = try await scene.services.methods.magicLinks.send(update)
            } else {
                _ = try await scene.services.methods.codes.send(update)
            }
        }
    }

    /// `password/update`.
    static func updatePassword(_ person: Person, in session: Int = 0) -> AuthorityAct {
        AuthorityAct(
            name: "password/update in session \(session)", person: person,
            isPossible: { ($0.holdings[person]?.sessions.count ?? 0) > session }
        ) { scene in
            let presented = try await scene.presented(session)
            try await scene.services.methods.passwords.update(
                presented, loginID: try scene.loginID(of: presented), new: Secret(person.password), from: scene.network)
        }
    }

    /// `password/replace`: one's own for a known one.
    static func replacePassword(_ person: Person, of owner: Person, as loginID: String) -> AuthorityAct {
        AuthorityAct(
            name: "password/replace \(loginID)", person: person,
            isPossible: { $0.holdings[person]?.passwords.contains(owner) == true }
        ) { scene in
            let proof = try await scene.services.methods.passwords.replace(
                loginID: loginID, old: Secret(owner.password), new: Secret(person.password), from: scene.network)
            try await scene.open(proof)
        }
    }

    /// `password/reset`.
    static func resetPassword(_ person: Person, of loginID: String) -> AuthorityAct {
        AuthorityAct(name: "password/reset \(loginID)", person: person) { scene in
            _ = try await scene.services.methods.passwords.reset(
                loginID: loginID, redirectURL: nil, from: scene.network)
        }
    }

    /// `totp/update` and `totp/verify`: an authenticator of one's own.
    static func setUpAuthenticator(_ person: Person, in session: Int = 0) -> AuthorityAct {
        AuthorityAct(
            name: "totp/update and totp/verify in session \(session)", person: person,
            isPossible: { ($0.holdings[person]?.sessions.count ?? 0) > session }
        ) { scene in
            let presented = try await scene.presented(session)
            let loginID = try scene.loginID(of: presented)
            let answer = try await scene.services.methods.authenticators.update(presented, loginID: loginID)
            scene.holdings.authenticators.insert(answer.key.exposed())
            let (services, network) = (scene.services, scene.network)
            let proof = try await scene.withCode(of: answer.key.exposed()) { code in
                try await services.methods.authenticators.verify(loginID: loginID, code: code, from: network)
            }
            try await scene.open(proof, shown: presented)
        }
    }

    /// `totp/verify` with an authenticator of one's own: as a second factor of a sign-in that waits, of a session
    /// (`mfa`), or alone.
    static func useAuthenticator(_ person: Person, as loginID: String, _ use: AuthenticatorUse) -> AuthorityAct {
        AuthorityAct(
            name: "totp/verify \(loginID), \(use.rawValue)", person: person,
            isPossible: { $0.holdings[person]?.authenticators.isEmpty == false }
        ) { scene in
            guard let secret = scene.holdings.authenticators.min() else { throw NothingToDo() }
            let (services, network) = (scene.services, scene.network)
            switch use {
            case .completing:
                guard let held = scene.holdings.pending,
                    let pending = try services.sessions.pending(Secret(held.reference))
                else { throw NothingToDo() }
                _ = try await services.sessions.account(of: pending)
                let proof = try await scene.withCode(of: secret) { code in
                    try await services.methods.authenticators.verify(loginID: loginID, code: code, from: network)
                }
                let answer = try await services.sessions.complete(pending, by: proof.identity, from: network)
                scene.holdings.pending = nil
                scene.keep(answer, of: proof.identity.account.user.id)
            case .raising:
                let presented = try await scene.presented()
                let options = LoginOptions(mfa: true)
                let proof = try await scene.withCode(of: secret) { code in
                    try await services.methods.authenticators.verify(
                        loginID: loginID, code: code, options: options, presented: presented, from: network)
                }
                try await scene.open(proof, shown: presented)
            case .alone:
                let proof = try await scene.withCode(of: secret) { code in
                    try await services.methods.authenticators.verify(loginID: loginID, code: code, from: network)
                }
                try await scene.open(proof)
            }
        }
    }

    enum AuthenticatorUse: String, Sendable {
        case completing, raising, alone
    }

    /// `/v1/auth/refresh`.
    static func refresh(_ person: Person, _ session: Int = 0) -> AuthorityAct {
        AuthorityAct(
            name: "refresh session \(session)", person: person,
            isPossible: { ($0.holdings[person]?.sessions.count ?? 0) > session }
        ) { scene in
            let held = scene.holdings.sessions
            let old = held[held.count - 1 - session]
            let answer = try await scene.services.sessions.refresh(Secret(old.token), from: scene.network)
            scene.keep(answer, of: old.user, renewing: old.grant)
        }
    }

    /// `/v1/auth/logout` and `/v1/auth/logoutall`.
    static func signOut(_ person: Person, all: Bool, _ session: Int = 0) -> AuthorityAct {
        AuthorityAct(
            name: all ? "logoutall" : "logout session \(session)", person: person,
            isPossible: { ($0.holdings[person]?.sessions.count ?? 0) > session }
        ) { scene in
            try await scene.services.sessions.revoke(try await scene.presented(session), all: all)
        }
    }
}

/// Time passes, for everybody.
enum TimeActs {
    /// - Parameter seconds: of one pause; the name says how long that is for people.
    static func pause(_ name: String, seconds: Int64, timesMax: Int = 1) -> AuthorityAct {
        AuthorityAct(name: "\(name) pass", person: .nina, timesMax: timesMax) { $0.state.now = $0.state.now + seconds }
    }
}
