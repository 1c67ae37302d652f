internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// The management interface: one file beside this one for each subject.
struct ManagementRoutes: Sendable {
    let frame: ManagementFrame

    var services: IdentityServices { frame.services }

    var routes: [Route] {
        userRoutes + userFieldRoutes + sessionRoutes + accessKeyRoutes + tenantRoutes + roleRoutes + operationRoutes
    }

    /// What tells a client how fast it may ask. The server has one answer: as fast as it answers.
    private var operationRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/license") { _ in ["rateLimitTier": "tier4"] },
            frame.route(.get, "/v1/mgmt/password/settings") { _ in passwordSettings },
            frame.route(.post, "/v1/mgmt/password/settings") { _ in
                throw MethodProblem.invalidRequest.saying(
                    "The password policy of this server stands in its configuration file")
            },
            frame.route(.post, "/v1/mgmt/audit/search", run: searchAudit),
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

    /// Times are in milliseconds here, and nowhere else.
    private func searchAudit(_ request: ManagementRequest) async throws -> JSONValue {
        let body = request.body
        var query = AuditQuery()
        query.users = try body.texts("userIds").map(UserID.init(rawValue:))
        query.kinds = try body.texts("actions").map(AuditEvent.Kind.init(rawValue:))
        query.text = try body.text("text")
        query.from = try body.integer("from").map { UnixTime(rawValue: $0 / 1_000) }
        query.to = try body.integer("to").map { UnixTime(rawValue: $0 / 1_000) }
        let limit = try body.integer("limit") ?? Int64(Limits.auditOfPageMax)
        let page = try body.integer("page") ?? 0
        guard (1...Int64(Limits.auditOfPageMax)).contains(limit), (0...Int64(Limits.searchPageMax)).contains(page),
            query.users.count <= Limits.auditOfPageMax, query.kinds.count <= Limits.auditOfPageMax
        else { throw MethodProblem.invalidArguments }
        query.limit = Int(limit)
        query.page = Int(page)
        return ["audits": .array(try await services.auditEvents(query).map(json))]
    }

    private func json(_ event: AuditEvent) -> JSONValue {
        var data: [String: JSONValue] = [:]
        data["actor"] = event.actor.map(JSONValue.string)
        data["target"] = event.target.map(JSONValue.string)
        data["reason"] = event.reason.map(JSONValue.string)
        data["clientId"] = event.clientID.map(JSONValue.string)
        return [
            "projectId": .string(services.project.id), "userId": .string(event.userID?.rawValue ?? ""),
            "action": .string(event.kind.rawValue), "occurred": .integer(event.at.rawValue * 1_000), "device": "",
            "method": .string(event.kind == .signedIn ? event.reason ?? "" : ""), "geo": "",
            "remoteAddress": .string(event.address ?? ""), "externalIds": [], "tenants": [], "data": .object(data),
        ]
    }
}
