internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension ConsoleSection {
    static let keys: ConsoleSection = .init(
        path: "/admin/keys", title: { $0[ConsoleKeysStrings.self].title },
        routes: { routes in
            [
                routes.page(.keys, routes.showKeys),
                routes.form(.keys, for: .changeKeys, routes.changeKeys),
            ]
        })
}

/// `/admin/keys`: the keys that sign tokens.
extension ConsoleRoutes {
    private var signingKeys: ManagedSigningKeys { services.managedSigningKeys }

    @Sendable func showKeys(_ opened: ConsoleRequest) async throws -> Response {
        try await keysPage(opened, notice: opened.done.flatMap(ConsoleKeysPage.Notice.init))
    }

    @Sendable func changeKeys(_ form: ConsoleForm) async throws -> Response {
        let path = ConsoleSection.keys.path
        do {
            switch form.action {
            case "rotate":
                let added = try await signingKeys.rotate(form.value("algorithm") ?? "", by: form.actor)
                return frame.done(added == nil ? "underway" : "rotated", at: path)
            case "drop":
                let id = form.value("kid") ?? ""
                guard form.value("confirmation") == id else {
                    return try await keysPage(form.request, problem: .confirmation)
                }
                _ = try await signingKeys.drop(id, by: form.actor)
                return frame.done("dropped", at: path)
            default:
                return frame.done(nil, at: path)
            }
        } catch let problem as MethodProblem {
            return try await keysPage(form.request, problem: .refused(problem.message ?? problem.description))
        }
    }

    private func keysPage(
        _ opened: ConsoleRequest, notice: ConsoleKeysPage.Notice? = nil, problem: ConsoleKeysPage.Problem? = nil
    ) async throws -> Response {
        let page = ConsoleKeysPage(
            visitor: frame.visitor(opened), form: frame.form(opened), keys: try await signingKeys.all(),
            algorithms: signingKeys.algorithms, now: services.ambient.now(), problem: problem, notice: notice)
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }
}
