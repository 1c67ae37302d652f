import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

@testable import OAuth

/// What ends with what, and who hears of it: sign-outs, and every token shown afterwards.
enum EndActs {
    /// A sign-out in the browser (`EndSession`).
    static func signOutInBrowser(_ person: Person) -> AuthorityAct {
        AuthorityAct(
            name: "signs out in the browser", person: person,
            isPossible: { $0.holdings[person]?.cookies.isEmpty == false }
        ) { scene in
            guard let held = scene.holdings.cookies.last,
                let (session, _) = try await scene.services.signIn.session(of: Secret(held.cookie))
            else { throw Refused("no session") }
            scene.state.past.end(session: session.id, at: scene.state.now)
            // Tokens tell the second of their issue: what is issued in the same one counts as earlier.
            scene.state.now = scene.state.now + 1
            guard scene.fault != .signOutForgets else { return }
            try await scene.services.endSession.end(session)
        }
    }

    /// `/oauth2/revoke` by the client of the newest tokens.
    static func revoke(_ person: Person) -> AuthorityAct {
        AuthorityAct(
            name: "the client revokes its refresh token", person: person,
            isPossible: { $0.holdings[person]?.tokens.contains { $0.refreshToken != nil } == true }
        ) { scene in
            guard let held = scene.holdings.tokens.last(where: { $0.refreshToken != nil }),
                let client = scene.services.clients.client(held.client)
            else { throw NothingToDo() }
            scene.state.past.endedGrants.insert(held.grant)
            try await scene.services.inspector.revoke(Secret(held.refreshToken ?? ""), by: client)
        }
    }

    /// `/v1/auth/logout`, `/v1/auth/logoutall`.
    static func signOutOfApp(_ person: Person, all: Bool) -> AuthorityAct {
        AuthorityAct(
            name: all ? "logoutall in the app" : "logout in the app", person: person,
            isPossible: { $0.holdings[person]?.sessions.isEmpty == false }
        ) { scene in
            let presented = try await scene.presented()
            if all {
                scene.state.past.endEverything(of: presented.account.user.id, scene.holdings)
            } else {
                scene.state.past.endedGrants.insert(presented.grant.id)
            }
            guard scene.fault != .signOutForgets else { return }
            try await scene.services.sessions.revoke(presented, all: all)
        }
    }

    /// Other sessions end in the settings.
    static func endOthers(_ person: Person) -> AuthorityAct {
        PageActs.settings(person, "ends every other session", isRecentOnly: false) { scene, settings, owner in
            scene.state.past.endEverything(of: owner.userID, scene.holdings, keeping: owner.session.id)
            try await settings.endOthers(by: owner)
        }
    }

    /// A new password in the settings ends what was signed in with the old one.
    static func changePassword(_ person: Person, knowing owner: Person?) -> AuthorityAct {
        PageActs.settings(person, "a new password, which ends other sessions") { scene, settings, signedIn in
            let outcome = try await settings.setPassword(
                Secret("another-long-password-of-\(person.rawValue)"), current: Secret(owner?.password ?? ""),
                endsOthers: true, of: signedIn)
            guard case .saved(let cookie) = outcome else { throw Refused("\(outcome)") }
            scene.state.past.endEverything(of: signedIn.userID, scene.holdings, keeping: signedIn.session.id)
            scene.replaceCookie(by: cookie)
        }
    }

    /// An operator ends everything, or keeps the person out.
    static func byOperator(_ person: Person, _ status: User.Status?, of target: Person) -> AuthorityAct {
        let name = status.map { "\(target.rawValue) is \($0.rawValue)" } ?? "ends all sessions of \(target.rawValue)"
        return ConsoleActs.act(
            person, name, for: status == .active ? .restoreAccess : .endSessions, keepsOut: true
        ) { scene, actor in
            let account = try scene.account(of: target)
            let access = scene.services.managedUserAccess
            if let status {
                try await access.setStatus(status, of: account, by: actor)
            } else {
                try await access.endAll(of: account, by: actor)
            }
            guard status != .active else { return }
            scene.state.past.endEverything(of: account.user.id, scene.state.holdings[target] ?? Holdings())
        }
    }

    /// Shows every token and session that the person has, and compares the answers with what should be.
    static func showAll(_ person: Person) -> AuthorityAct {
        AuthorityAct(name: "shows every token and session", person: person, timesMax: 9) { scene in
            let (past, now, services) = (scene.state.past, scene.state.now, scene.services)
            for held in scene.holdings.cookies {
                let found = try await services.signIn.session(of: Secret(held.cookie))
                scene.tried("the browser's session", found != nil, !past.endedSessions.contains(held.session))
            }
            for held in scene.holdings.sessions {
                scene.tried(
                    "a refresh JWT", await scene.isTaken(held.token), !past.endedGrants.contains(held.grant))
            }
            for held in scene.holdings.tokens {
                guard let client = services.clients.client(held.client) else { continue }
                let isOver = past.endedGrants.contains(held.grant)
                let isStale =
                    now >= held.issuedAt + services.project.accessTokenSeconds
                    || past.endedTokens[held.grant].map { held.issuedAt <= $0 } ?? false
                let answer = try await services.inspector.introspect(
                    Secret(held.accessToken), by: AuthenticatedClient(client))
                scene.tried("an access token of \(held.client)", answer != .inactive, !isOver && !isStale)
                let personal = try await services.inspector.personal(Secret(held.accessToken))
                scene.tried("the same at UserInfo", personal != nil, !isOver && !isStale)
                guard let refreshToken = held.refreshToken else { continue }
                let refreshed = try await services.inspector.introspect(
                    Secret(refreshToken), by: AuthenticatedClient(client))
                scene.tried("a refresh token of \(held.client)", refreshed != .inactive, !isOver)
            }
        }
    }
}

extension Scene {
    mutating func tried(_ what: String, _ isTaken: Bool, _ shouldBe: Bool) {
        trials.append(Trial(what: what, isTaken: isTaken, shouldBe: shouldBe))
    }

    fileprivate func isTaken(_ token: String) async -> Bool {
        (try? await services.sessions.presented(Secret(token))) != nil
    }
}

extension Past {
    /// A browser session ends: its grants without `offline_access` do, and of the others every token until now.
    mutating func end(session: SessionID, at now: UnixTime) {
        endedSessions.insert(session)
        for (id, grant) in clientGrants where grant.session == session {
            if grant.isOffline { endedTokens[id] = now } else { endedGrants.insert(id) }
        }
    }

    /// Everything of a user ends, but one browser session.
    mutating func endEverything(of user: UserID, _ holdings: Holdings, keeping kept: SessionID? = nil) {
        for held in holdings.cookies where held.user == user && held.session != kept {
            endedSessions.insert(held.session)
        }
        for held in holdings.sessions where held.user == user { endedGrants.insert(held.grant) }
        for (id, grant) in clientGrants where grant.user == user { endedGrants.insert(id) }
    }
}
