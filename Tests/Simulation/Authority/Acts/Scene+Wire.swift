import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// The calls of the methods' wire, put together as its routes put them together.
extension Scene {
    var services: IdentityServices { server.services }

    /// A session that the person holds, as a request presents it.
    func presented(_ index: Int = 0) async throws -> PresentedRefresh {
        let held = holdings.sessions
        guard index < held.count else { throw NothingToDo() }
        return try await services.sessions.presented(Secret(held[held.count - 1 - index].token))
    }

    /// The same if it is good, for answers to codes and links.
    func presentedIfGood(_ index: Int?) async throws -> PresentedRefresh? {
        guard let index else { return nil }
        do {
            return try await presented(index)
        } catch is MethodProblem {
            return nil
        }
    }

    /// The session that a proof opens (`DescopeMiddleware.open`).
    mutating func open(_ proof: CompletedVerification, shown: PresentedRefresh? = nil) async throws {
        if services.sessions.answer(keeping: shown, after: proof) != nil { return }
        guard services.sessions.mayRaise(proof.presented, shown: shown) else { throw MethodProblem.invalidRequest }
        let changed = services.sessions.changed(shown, by: proof)
        let account = proof.identity.account.user.id
        do {
            let answer = try await services.sessions.open(
                proof.identity, options: proof.options, presented: proof.presented, replacing: changed,
                from: network)
            keep(answer, of: account)
        } catch let problem as MethodProblem {
            if let reference = problem.pendingRef {
                holdings.pending = HeldPending(reference: reference.exposed(), user: account, at: state.now)
            }
            throw problem
        }
    }

    /// Keeps the refresh JWT of an answer, and lets the judge hear what the answer tells.
    ///
    /// - Parameter renewed: the grant, if the answer opened none.
    mutating func keep(_ answer: SessionAnswer, of user: UserID, renewing renewed: GrantID? = nil) {
        if let told = answer.user {
            heard.append(
                Heard(user: user, client: "the wire", claims: ["email": .string(told.email)], allowed: ["email"]))
        }
        guard let token = answer.refreshJWT, let grant = renewed ?? server.newGrant(since: state.stores) else { return }
        let held = HeldSession(token: token.exposed(), grant: grant, user: user)
        holdings.sessions.removeAll { $0 == held }
        holdings.sessions.append(held)
    }

    /// Tries the codes of an authenticator that may still count: the clock stands still while people act.
    func withCode<Value>(
        of secret: String, _ body: (Secret) async throws -> Value
    ) async throws -> Value {
        guard let key = TOTPSecret(typed: Secret(secret)) else { throw NothingToDo() }
        for seconds: Int64 in [-30, 0] {
            do {
                return try await body(TOTPCode(key).code(at: state.now + seconds))
            } catch let problem as MethodProblem where problem.code == MethodProblem.wrongCode.code {
                continue
            } catch is CodeWasUsed {
                continue
            }
        }
        return try await body(TOTPCode(key).code(at: state.now + 30))
    }

    /// Takes a letter out of a mailbox that the person reads.
    mutating func take(from mailbox: Person, _ isWanted: (Letter) -> Bool) throws -> Letter {
        if mailbox != person {
            guard let left = holdings.reads[mailbox], left > 0 else { throw NothingToDo() }
            holdings.reads[mailbox] = left - 1
        }
        // The newest one.
        guard let index = state.letters.lastIndex(where: { $0.to == mailbox && isWanted($0) }) else {
            throw NothingToDo()
        }
        return state.letters.remove(at: index)
    }

    /// A login ID of the account of a session that the person holds.
    func loginID(of session: PresentedRefresh) throws -> String {
        guard let name = session.account.identifiers.keys.map(\.value).min() else { throw NothingToDo() }
        return name
    }
}
