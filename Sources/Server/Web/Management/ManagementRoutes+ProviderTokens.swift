internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// The tokens that providers gave for users: for the operator's programs alone, and each reading is audited.
extension ManagementRoutes {
    var providerTokenRoutes: [Route] {
        [frame.route(.get, "/v1/mgmt/user/provider/token", run: providerToken)]
    }

    private func providerToken(_ request: ManagementRequest) async throws -> JSONValue {
        guard let provider = request.parameter("provider") else { throw MethodProblem.missing("provider") }
        let account = try await services.managedUsers.find(
            userID: request.parameter("userId"), loginID: request.parameter("loginId"))
        let own = try await services.stores.identities.identities(of: account.user.id)
        guard let connection = services.connections.connection(provider), connection.isEnabled,
            let key = own.first(where: { $0.key.connectionID == provider })?.key
        else { throw MethodProblem.invalidRequest.saying("The user has no tokens of this provider") }
        let found: ProviderTokens?
        do {
            found = try await services.providerTokens.current(
                of: key, at: connection, protocols, isForced: request.parameter("forceRefresh") == "true")
        } catch is ConnectionProblem {
            throw MethodProblem.providerRefused.saying("The provider did not refresh the tokens")
        }
        services.auditLog.record(
            AuditEvent(
                .providerTokensRead, at: services.ambient.now(), userID: account.user.id,
                address: request.address?.text, actor: request.actor.name, target: provider))
        guard let found else {
            throw MethodProblem.invalidRequest.saying("The user has no tokens of this provider")
        }
        var members: [String: JSONValue] = [
            "provider": .string(provider), "providerUserId": .string(key.subject),
            "accessToken": .string(found.accessToken), "scopes": .array(found.scopes.map(JSONValue.string)),
        ]
        members["expiration"] = found.expiresAt.map { .integer($0.rawValue) }
        if request.parameter("withRefreshToken") == "true" {
            members["refreshToken"] = found.refreshToken.map(JSONValue.string)
        }
        return .object(members)
    }
}
