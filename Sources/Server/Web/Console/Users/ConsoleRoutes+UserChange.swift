internal import Account
internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/admin/users/user/change`: what the role operator changes about a user.
extension ConsoleRoutes {
    /// More tenants than this make no menu.
    private static let tenantsOfMenuMax = 200

    @Sendable func showUserChange(_ opened: ConsoleRequest) async throws -> Response {
        guard let subject = try await userSubject(opened) else { return try await missingUser(opened) }
        guard subject.mayChange else { return try await refusedUser(subject, opened) }
        return userChangePage(subject, opened, notice: opened.done.flatMap(ConsoleUserChangePage.Notice.init))
    }

    @Sendable func changeUser(_ form: ConsoleForm) async throws -> Response {
        let opened = form.request
        guard let subject = try await userSubject(opened) else { return try await missingUser(opened) }
        do {
            return try await change(subject, form)
        } catch Denial.missing(.owner) {
            return try await refusedUser(subject, opened)
        } catch let problem as MethodProblem {
            return userChangePage(
                subject, opened, profile: form.action == "profile" ? Self.profile(form) : nil,
                typed: form.action == "add-login-id" ? form.value("loginId") ?? "" : "",
                problem: problem.message ?? problem.description)
        }
    }

    private func change(_ subject: ConsoleUserSubject, _ form: ConsoleForm) async throws -> Response {
        let (account, users, access) = (subject.account, services.managedUsers, services.managedUserAccess)
        var body: [String: JSONValue] = ["userId": .string(account.user.id.rawValue)]
        body["tenantId"] = form.value("tenant").map(JSONValue.string)
        switch form.action {
        case "profile":
            _ = try await users.save(Self.profile(form), of: account, by: form.actor)
            return changeDone(.profileSaved, account)
        case "add-login-id":
            _ = try await users.addLoginID(form.value("loginId") ?? "", to: account, by: form.actor)
            return changeDone(.loginIDAdded, account)
        case "remove-login-id":
            _ = try await users.removeLoginID(form.value("loginId") ?? "", of: account, by: form.actor)
            return changeDone(.loginIDRemoved, account)
        case "roles":
            body["roleNames"] = .array(form.request.fields.values("role").map(JSONValue.string))
            _ = try await users.changeRoles(MethodBody(body), .set, by: form.actor)
            return changeDone(.rolesSaved, account)
        case "join":
            _ = try await users.join(MethodBody(body), by: form.actor)
            return changeDone(.tenantAdded, account)
        case "leave":
            _ = try await users.leave(MethodBody(body), by: form.actor)
            return changeDone(.tenantRemoved, account)
        case "merge":
            let other = try await users.find(form.value("other") ?? "")
            _ = try await access.merge(other, into: account, by: form.actor)
            return userDone(.merged, account.user.id)
        case "delete":
            try await access.delete(account, confirmedBy: form.value("confirm") ?? "", by: form.actor)
            return frame.done(ConsoleUsersPage.Notice.deleted.rawValue, at: ConsoleSection.users.path)
        case "impersonate":
            return try await impersonate(account, form)
        default:
            return changeDone(nil, account)
        }
    }

    /// Opens a session as the user, and shows its token once.
    private func impersonate(_ account: Account, _ form: ConsoleForm) async throws -> Response {
        let answer = try await services.sessions.impersonate(
            account, by: form.request.owner.account, in: form.request.owner.session.id, needsConsent: false,
            .init(MethodBody()), isSteppedUp: false, actor: form.actor)
        guard let token = answer.refreshJWT else { throw MethodProblem.invalidRequest }
        return frame.page(
            ConsoleImpersonationPage(visitor: frame.visitor(form.request), account: account, token: token),
            form.request)
    }

    private func changeDone(_ notice: ConsoleUserChangePage.Notice?, _ account: Account) -> Response {
        frame.done(notice?.rawValue, at: ConsoleUserPaths.change, ["id": account.user.id.rawValue])
    }

    private static func profile(_ form: ConsoleForm) -> ManagedUsers.Profile {
        ManagedUsers.Profile(
            name: form.value("displayName") ?? "", givenName: form.value("givenName") ?? "",
            familyName: form.value("familyName") ?? "", email: form.value("email") ?? "",
            phone: form.value("phone") ?? "")
    }

    private func userChangePage(
        _ subject: ConsoleUserSubject, _ opened: ConsoleRequest, profile: ManagedUsers.Profile? = nil,
        typed: String = "", problem: String? = nil, notice: ConsoleUserChangePage.Notice? = nil
    ) -> Response {
        let (account, directory) = (subject.account, services.directory)
        let others = directory.tenants.filter { account.memberships.tenants[$0.id] == nil }
        let owner = opened.owner.account
        let own = directory.entitlements(of: owner.memberships).told(of: owner.user).everywhere
        let page = ConsoleUserChangePage(
            visitor: frame.visitor(opened), form: frame.form(opened, to: ConsoleUserPaths.change), subject: subject,
            profile: profile ?? ManagedUsers.Profile(account),
            roles: roles(in: nil, held: account.memberships.roles),
            memberships: account.memberships.tenants.map { tenant, held in
                ConsoleUserChangePage.Membership(
                    tenant: tenant, name: directory.tenant(tenant)?.name ?? tenant,
                    roles: roles(in: tenant, held: held))
            }.sorted { $0.name < $1.name },
            otherTenants: others.count > Self.tenantsOfMenuMax ? nil : others.map { ($0.id, $0.name) },
            mayImpersonate: own.permissions.contains(DescopeSessions.impersonation), typed: typed, problem: problem,
            notice: notice)
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }

    /// The roles that a user can have in a tenant, or in none: each name once, as forms name them.
    private func roles(in tenant: String?, held: [String]) -> [ConsoleUserChangePage.Role] {
        let roles = services.directory.roles.filter { $0.tenantID == nil || $0.tenantID == tenant }
        return Set(roles.map(\.name)).sorted().map { name in
            ConsoleUserChangePage.Role(
                name: name,
                isHeld: services.directory.role(named: name, in: tenant).map { held.contains($0.id) } ?? false)
        }
    }
}
