internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// The management interface; each subject has its own file beside this one.
struct ManagementRoutes: Sendable {
    let frame: ManagementMiddleware
    let protocols: ConnectionProtocols
    /// Shows what messages say; `nil`: it cannot be shown.
    var previews: (any MessagePreviews)?

    var services: IdentityServices { frame.services }

    var routes: [Route] {
        userRoutes + userFieldRoutes + userAccessRoutes + sessionRoutes + accessKeyRoutes + tenantRoutes + roleRoutes
            + connectionRoutes + ssoRoutes + scimTokenRoutes + operatorRoutes + providerTokenRoutes + clientRoutes
            + signingKeyRoutes + messageRoutes + operationRoutes
    }

    /// The licence, from which clients learn their rate limit, the password policy and the audit search.
    private var operationRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/license") { _ in ["rateLimitTier": "tier4"] },
            frame.route(.get, "/v1/mgmt/password/settings", for: .readProject) { _ in passwordSettings },
            frame.route(.post, "/v1/mgmt/password/settings") { _ in
                throw MethodProblem.invalidRequest.saying(
                    "The password policy of this server stands in its configuration file")
            },
            frame.route(.post, "/v1/mgmt/audit/search", for: .readAudit, run: searchAudit),
        ]
    }

    private var passwordSettings: JSONValue {
        let policy = services.project.passwordPolicy
        let settings = services.methodSettings.passwords
        return [
            "enabled": true, "minLength": .integer(Int64(policy.minLength)),
            "lowercase": .bool(policy.requiresLowercase), "uppercase": .bool(policy.requiresUppercase),
            "number": .bool(policy.requiresNumber), "nonAlphanumeric": .bool(policy.requiresNonAlphanumeric),
            "expiration": .bool(settings.expirationWeeks != nil),
            "expirationWeeks": .integer(settings.expirationWeeks ?? 0), "reuse": .bool(settings.reuseMax > 0),
            "reuseAmount": .integer(Int64(settings.reuseMax)), "lock": .bool(settings.lockAttempts != nil),
            "lockAttempts": .integer(settings.lockAttempts ?? 0),
        ]
    }

    private func searchAudit(_ request: ManagementRequest) async throws -> JSONValue {
        let found = try await services.searchAudit(request.body)
        return ["audits": .array(found.records.map(json)), "total": .integer(Int64(found.total))]
    }

    private func json(_ record: AuditRecord) -> JSONValue {
        let event = record.event
        var data: [String: JSONValue] = [:]
        data["actor"] = event.actor.map(JSONValue.string)
        data["target"] = event.target.map(JSONValue.string)
        data["reason"] = event.reason.map(JSONValue.string)
        data["clientId"] = event.clientID.map(JSONValue.string)
        data["number"] = .integer(record.number)
        data["changes"] = event.changes?.json
        return [
            "projectId": .string(services.project.id), "userId": .string(event.userID?.rawValue ?? ""),
            "action": .string(event.kind.rawValue), "occurred": .integer(event.at.rawValue * 1_000), "device": "",
            "method": .string(event.kind == .signedIn ? event.reason ?? "" : ""), "geo": "",
            "remoteAddress": .string(event.address ?? ""),
            "externalIds": .array(record.loginIDs.map(JSONValue.string)),
            "tenants": .array(record.tenants.map(JSONValue.string)), "data": .object(data),
        ]
    }
}
