internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// `/admin/users/new`: makes a user.
extension ConsoleRoutes {
    @Sendable func showUserCreation(_ opened: ConsoleRequest) async throws -> Response {
        frame.page(ConsoleUserCreationPage(visitor: frame.visitor(opened), form: frame.form(opened)), opened)
    }

    @Sendable func createUser(_ form: ConsoleForm) async throws -> Response {
        var typed: [String: String] = [:]
        for field in ConsoleUserCreationPage.fields { typed[field] = form.value(field) }
        let isInvited = form.value("invite") == "true"
        do {
            let account = try await services.managedUserAccess.create(
                MethodBody(typed.mapValues(JSONValue.string)), isInvited: isInvited, by: form.actor)
            return userDone(isInvited ? .invited : .created, account.user.id)
        } catch let problem as MethodProblem {
            let page = ConsoleUserCreationPage(
                visitor: frame.visitor(form.request), form: frame.form(form.request), typed: typed,
                isInvited: isInvited, problem: problem.message ?? problem.description)
            return frame.page(page, form.request, status: .unprocessableContent)
        }
    }
}
