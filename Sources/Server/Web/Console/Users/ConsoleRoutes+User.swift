internal import Account
internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/admin/users/user`: one user, and what the role support does for them.
extension ConsoleRoutes {
    /// The newest events that the page of a user shows.
    private static let eventsShownMax = 50

    @Sendable func showUser(_ opened: ConsoleRequest) async throws -> Response {
        guard let subject = try await userSubject(opened) else { return try await missingUser(opened) }
        return try await userPage(subject, opened, notice: opened.done.flatMap(ConsoleUserPage.Notice.init))
    }

    /// Disables and enables, and ends sessions.
    @Sendable func endUserSessions(_ form: ConsoleForm) async throws -> Response {
        try await changing(form.request) { account in
            let access = services.managedUserAccess
            switch form.action {
            case "disable":
                try await access.setStatus(.disabled, of: account, by: form.actor)
                return .disabled
            case "enable":
                try await access.setStatus(.active, of: account, by: form.actor)
                return .enabled
            case "end-all":
                try await access.endAll(of: account, by: form.actor)
                return .allEnded
            case "end":
                if let id = form.value("session") {
                    let isEnded = try await access.end(SessionID(rawValue: id), of: account, by: form.actor)
                    return isEnded ? .sessionEnded : .nothing
                }
                guard let id = form.value("grant").flatMap(GrantID.init(text:)) else { return nil }
                return try await access.end(id, of: account, by: form.actor) ? .sessionEnded : .nothing
            default: return nil
            }
        }
    }

    /// What changes how a user can sign in.
    @Sendable func helpUser(_ form: ConsoleForm) async throws -> Response {
        try await changing(form.request) { account in
            let access = services.managedUserAccess
            switch form.action {
            case "invite":
                try await access.sendInvitation(to: account, by: form.actor)
                return .invited
            case "reset", "reset-expiring":
                try await access.sendPasswordReset(
                    to: account, isExpiring: form.action == "reset-expiring", by: form.actor,
                    from: form.request.owner.address)
                return .resetSent
            case "remove-factor":
                try await access.removeSecondFactor(of: account, by: form.actor)
                return .secondFactorRemoved
            case "remove-passkey":
                guard let id = form.value("passkey") else { return nil }
                let isRemoved = try await access.removePasskey(PasskeyID(rawValue: id), of: account, by: form.actor)
                return isRemoved ? .passkeyRemoved : .nothing
            case "remove-biometric":
                guard let id = form.value("key") else { return nil }
                return try await access.removeBiometricKey(id, of: account, by: form.actor)
                    ? .biometricRemoved : .nothing
            default: return nil
            }
        }
    }

    /// The user whom a page or form names; `nil`: there is none.
    func userSubject(_ opened: ConsoleRequest) async throws -> ConsoleUserSubject? {
        guard let id = opened.value("id"),
            let account = try await services.stores.users.account(UserID(rawValue: id))
        else { return nil }
        return ConsoleUserSubject(
            account: account, role: account.consoleRole,
            mayChange: services.project.rulebook.allows(.endSessions, to: opened.actor.caller, on: account.subject),
            isOwn: account.user.id == opened.owner.userID)
    }

    /// Changes the user of a form, if the operator may, and goes back to the user's page.
    ///
    /// - Parameter work: tells what was done; `nil`: nothing was asked for.
    private func changing(
        _ opened: ConsoleRequest, _ work: (Account) async throws -> ConsoleUserPage.Notice?
    ) async throws -> Response {
        guard let subject = try await userSubject(opened) else { return try await missingUser(opened) }
        do {
            let notice = try await work(subject.account)
            return userDone(notice, subject.account.user.id)
        } catch Denial.missing(.owner) {
            return try await refusedUser(subject, opened)
        } catch let problem as MethodProblem {
            return try await userPage(subject, opened, problem: problem.message ?? problem.description)
        }
    }

    func userDone(_ notice: ConsoleUserPage.Notice?, _ id: UserID) -> Response {
        frame.done(notice?.rawValue, at: ConsoleUserPaths.user, ["id": id.rawValue])
    }

    /// The user's page, which says that the operator may not change this user.
    func refusedUser(_ subject: ConsoleUserSubject, _ opened: ConsoleRequest) async throws -> Response {
        try await userPage(
            subject, opened, problem: opened.strings[ConsoleUserStrings.self].protected, status: .forbidden)
    }

    private func userPage(
        _ subject: ConsoleUserSubject, _ opened: ConsoleRequest, problem: String? = nil,
        notice: ConsoleUserPage.Notice? = nil, status: HTTPResponse.Status? = nil
    ) async throws -> Response {
        let access = services.managedUserAccess
        let account = subject.account
        var query = AuditQuery()
        query.users = [account.user.id]
        query.limit = Self.eventsShownMax
        let events = try await services.auditEvents(query)
        let page = ConsoleUserPage(
            visitor: frame.visitor(opened), subject: subject,
            form: frame.form(opened, to: ConsoleUserPaths.user),
            sessionForm: frame.form(opened, to: ConsoleUserPaths.sessions),
            methods: try await access.methods(of: account), signedIn: try await access.sessions(of: account.user.id),
            resetAddress: access.resetAddress(of: account)?.value, memberships: memberships(of: account),
            roles: services.directory.names(of: account.memberships.roles), events: events,
            actors: try await names(of: events), project: services.project.name, now: services.ambient.now(),
            problem: problem, notice: notice)
        return frame.page(page, opened, status: status ?? (problem == nil ? .ok : .unprocessableContent))
    }

    private func memberships(of account: Account) -> [(tenant: String, roles: [String])] {
        account.memberships.tenants.map { tenant, roles in
            (services.directory.tenant(tenant)?.name ?? tenant, services.directory.names(of: roles))
        }.sorted { $0.0 < $1.0 }
    }

    /// More actors than these are shown by their identifiers.
    private static let actorsNamedMax = 10

    /// The names of the users who are actors of events, by their identifiers.
    private func names(of events: [AuditEvent]) async throws(StoreError) -> [String: String] {
        var names: [String: String] = [:]
        for actor in Set(events.compactMap(\.actor)).sorted().prefix(Self.actorsNamedMax) {
            names[actor] = try await services.stores.users.account(UserID(rawValue: actor))?.shownName
        }
        return names
    }
}
