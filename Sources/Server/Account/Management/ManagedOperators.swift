public import Authority
package import KeyturnBase
internal import KeyturnWire
public import Model

/// Who may open the console.
public struct ManagedOperators: Sendable {
    /// An operator with the account.
    public struct Entry: Sendable {
        public let entry: ConsoleOperator
        public let account: Account
    }

    let stores: Stores
    let rulebook: Rulebook
    let notices: SecurityNotices
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        stores: Stores, rulebook: Rulebook, notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.rulebook = rulebook
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// The operators, owners first; at most ``Limits/operatorsMax``.
    public func all() async throws(StoreError) -> [Entry] {
        var entries: [Entry] = []
        for entry in try await stores.consoleOperators.all(limit: Limits.operatorsMax) {
            // One that was deleted in between is none.
            guard let account = try await stores.users.account(entry.userID) else { continue }
            entries.append(Entry(entry: entry, account: account))
        }
        return entries
    }

    /// Gives a user a role, or takes it away.
    ///
    /// - Parameters:
    ///   - role: `nil`: the user is no operator any longer.
    ///   - name: how the caller named the user: the address by which the user is known, if it is one.
    /// - Returns: whether the user's ways to sign in went, because others had set one up (``User/othersAt``).
    /// - Throws: the rulebook's `Denial`; ``MethodProblem`` if the user is the last owner, is no ordinary user, has an
    ///   address that is not proved, or does not exist; ``StoreError``.
    @discardableResult
    public func set(_ role: ConsoleRole?, of account: Account, named name: String?, by actor: Actor) async throws
        -> Bool
    {
        let now = ambient.now()
        switch try await change(role, of: account, named: name, by: actor, at: now) {
        case .unchanged: return false
        case .lastOwner: throw MethodProblem.lastOwner
        case .changed(let former, let isVoided):
            audit.record(
                AuditEvent(
                    role == nil ? .operatorRemoved : .operatorGranted, at: now, userID: account.user.id,
                    reason: role?.rawValue ?? former?.rawValue, actor: actor.name,
                    changes: .between(former, role, ambient)))
            guard isVoided else { return false }
            audit.record(
                AuditEvent(
                    .passwordChanged, at: now, userID: account.user.id, reason: "set_up_by_others", actor: actor.name))
            await notices.send(.passwordChanged, to: account, from: .unknown, at: now)
            return true
        }
    }

    private func change(
        _ role: ConsoleRole?, of account: Account, named name: String?, by actor: Actor, at now: UnixTime
    ) async throws -> ConsoleRoleChange {
        do {
            guard let role else {
                return try await stores.consoleOperators.take(
                    by: try rulebook.permit(Acts.TakeConsoleRole.self, to: actor.caller, on: account.subject),
                    keepingOwner: true)
            }
            let allowed = try rulebook.permit(Acts.GiveConsoleRole.self, to: actor.caller, on: account.subject)
            guard account.user.status == .active, !account.user.isTest else {
                throw MethodProblem.invalidRequest.saying("Only an active user who is no test user can be an operator")
            }
            return try await stores.consoleOperators.give(
                role, by: allowed, named: actor.name, knownBy: name.flatMap(Identifier.init(loginID:)),
                keepingOwner: true, at: now)
        } catch Denial.missing(.addressProof) {
            // A user can sign up with an address of another person: the owner would mean that person.
            throw MethodProblem.invalidRequest.saying("An operator has proved every address of the account")
        } catch let error as StoreError where error.cause is UnknownAddress {
            throw MethodProblem.invalidRequest.saying(
                "Others have set up a way to sign in to this account: name the user by the address that you know")
        } catch let error as StoreError where error.code == .missing {
            throw MethodProblem.managementUserNotFound
        }
    }
}

extension MethodProblem {
    /// The console would have no owner who can enter it.
    static let lastOwner = invalidRequest.saying("The last owner keeps the role: make another one first")
}
