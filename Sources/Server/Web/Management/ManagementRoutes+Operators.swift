internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Who may open the console.
extension ManagementRoutes {
    var operatorRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/operator/all", for: .readProject) { _ in
                ["operators": .array(try await services.managedOperators.all().map(json))]
            },
            frame.route(.post, "/v1/mgmt/operator/update", for: .giveConsoleRole, run: setOperator),
        ]
    }

    /// `role` is `viewer`, `support`, `operator` or `owner`; empty: the user is no operator any longer. The answer has
    /// `credentialsRemoved` if the user must set up new ways to sign in.
    private func setOperator(_ request: ManagementRequest) async throws -> JSONValue {
        let word = try request.body.text("role") ?? ""
        let role = ConsoleRole(rawValue: word)
        guard role != nil || word.isEmpty else {
            throw MethodProblem.invalidArguments.saying("A role is viewer, support, operator or owner, or empty")
        }
        let account = try await services.managedUsers.find(request.body)
        let isVoided = try await services.managedOperators.set(
            role, of: account, named: request.body.text("loginId"), by: request.actor)
        return isVoided ? ["credentialsRemoved": true] : [:]
    }

    private func json(_ entry: ManagedOperators.Entry) -> JSONValue {
        [
            "userId": .string(entry.account.user.id.rawValue), "role": .string(entry.entry.role.rawValue),
            "loginIds": .array(entry.account.identifiers.keys.map(\.value).sorted().map(JSONValue.string)),
            "hasSecondFactor": .bool(entry.account.hasStrongFactor),
            "grantedTime": .integer(entry.entry.since.rawValue), "grantedBy": .string(entry.entry.grantedBy),
        ]
    }
}
