internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension ConsoleSection {
    static let operators: ConsoleSection = .init(
        path: "/admin/operators", title: { $0[ConsoleOperatorsStrings.self].title },
        routes: { routes in
            [
                routes.page(.operators, routes.showOperators),
                routes.form(.operators, for: .giveConsoleRole, routes.changeOperators),
            ]
        })
}

/// `/admin/operators`: who may open the console.
extension ConsoleRoutes {
    @Sendable func showOperators(_ opened: ConsoleRequest) async throws -> Response {
        try await operatorsPage(opened, notice: opened.done.flatMap(ConsoleOperatorsPage.Notice.init))
    }

    @Sendable func changeOperators(_ form: ConsoleForm) async throws -> Response {
        let name = form.value("user") ?? ""
        let role = form.action == "remove" ? nil : form.value("role").flatMap(ConsoleRole.init)
        guard form.action == "remove" || role != nil else { return frame.done(nil, at: ConsoleSection.operators.path) }
        let isVoided: Bool
        do {
            let account = try await services.managedUsers.find(name)
            isVoided = try await services.managedOperators.set(role, of: account, named: name, by: form.actor)
        } catch let problem as MethodProblem {
            return try await operatorsPage(
                form.request, typed: name, problem: problem.message ?? problem.description)
        }
        let notice: ConsoleOperatorsPage.Notice = isVoided ? .voided : role == nil ? .removed : .granted
        return frame.done(notice.rawValue, at: ConsoleSection.operators.path)
    }

    private func operatorsPage(
        _ opened: ConsoleRequest, typed: String = "", problem: String? = nil,
        notice: ConsoleOperatorsPage.Notice? = nil
    ) async throws -> Response {
        let operators = try await services.managedOperators.all().map { entry in
            ConsoleOperatorsPage.Row(
                id: entry.account.user.id.rawValue, name: entry.account.shownName, role: entry.entry.role,
                secondsAgo: frame.age(entry.entry.since),
                hasSecondFactor: entry.account.hasAuthenticator || entry.account.hasStrongFactor)
        }
        let page = ConsoleOperatorsPage(
            visitor: frame.visitor(opened), form: frame.form(opened), operators: operators, typed: typed,
            problem: problem, notice: notice)
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }
}

extension Account {
    /// What the console calls the user: the name, else a login ID, else the identifier. Everything in it is seen.
    var shownName: String {
        VisibleText.shown(user.displayName ?? identifiers.keys.map(\.value).min() ?? user.id.rawValue)
    }
}
