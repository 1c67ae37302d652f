internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import Model

extension ConsoleSection {
    static let users: ConsoleSection = .init(
        path: "/admin/users", title: { $0[ConsoleUsersStrings.self].title },
        routes: { routes in
            [
                routes.page(.users, for: .readUsers, routes.showUsers),
                routes.page(.users, at: ConsoleUserPaths.create, for: .createAccount, routes.showUserCreation),
                routes.form(.users, at: ConsoleUserPaths.create, for: .createAccount, routes.createUser),
                routes.page(.users, at: ConsoleUserPaths.user, for: .readUsers, routes.showUser),
                routes.form(.users, at: ConsoleUserPaths.user, for: .expirePassword, routes.helpUser),
                routes.form(.users, at: ConsoleUserPaths.sessions, for: .endSessions, routes.endUserSessions),
                routes.page(.users, at: ConsoleUserPaths.change, for: .changeProfile, routes.showUserChange),
                routes.form(.users, at: ConsoleUserPaths.change, for: .changeProfile, routes.changeUser),
            ]
        })
}

/// The addresses of the pages and forms of users.
enum ConsoleUserPaths {
    static let create = "/admin/users/new"
    static let user = "/admin/users/user"
    /// Disabling, enabling, ending sessions.
    static let sessions = "/admin/users/user/sessions"
    static let change = "/admin/users/user/change"
}

/// `/admin/users`: the users that a search finds.
extension ConsoleRoutes {
    /// More tenants or roles than this make no menu.
    private static let choicesMax = 200

    @Sendable func showUsers(_ opened: ConsoleRequest) async throws -> Response {
        try await usersPage(opened, notice: opened.done.flatMap(ConsoleUsersPage.Notice.init))
    }

    /// The list with what is wrong: there is no such user.
    func missingUser(_ opened: ConsoleRequest) async throws -> Response {
        try await usersPage(
            opened, problem: opened.strings[ConsoleUsersStrings.self].missing, status: .notFound)
    }

    private func usersPage(
        _ opened: ConsoleRequest, problem: String? = nil, notice: ConsoleUsersPage.Notice? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        var wanted = ManagedUsers.ListQuery()
        if opened.path == ConsoleSection.users.path {
            wanted.text = opened.value("text") ?? ""
            wanted.status = opened.value("status").flatMap(User.Status.init(rawValue:))
            wanted.tenant = opened.value("tenant")
            wanted.role = opened.value("role")
            wanted.page = opened.pageNumber
        }
        let tenants = services.directory.tenants, roles = services.directory.roles
        let page = ConsoleUsersPage(
            visitor: frame.visitor(opened), wanted: wanted, list: try await services.managedUsers.list(wanted),
            tenants: tenants.count > Self.choicesMax
                ? nil : tenants.map { ConsoleUsersPage.Choice(id: $0.id, name: $0.name) },
            roles: roles.count > Self.choicesMax ? nil : roles.map { choice(of: $0) },
            now: services.ambient.now(), problem: problem, notice: notice)
        return frame.page(page, opened, status: status)
    }

    private func choice(of role: Role) -> ConsoleUsersPage.Choice {
        let tenant = role.tenantID.map { services.directory.tenant($0)?.name ?? $0 }
        return ConsoleUsersPage.Choice(id: role.id, name: tenant.map { "\(role.name) (\($0))" } ?? role.name)
    }
}
