public import KeyturnBase
public import KeyturnWire

/// What happened in a project. Throws as ``ManagedUsers`` does.
public struct ManagedAudit: Sendable {
    let calls: ManagementCalls

    /// Records by what is known about them; the service keeps them for a while.
    public func search(_ search: AuditSearch = AuditSearch()) async throws(AuthError) -> [AuditRecord] {
        try await calls.post("/v1/mgmt/audit/search", search.members).list("audits")
    }
}

/// Which records a search is about. What is `nil` restricts nothing.
public struct AuditSearch: Hashable, Sendable {
    public var userIDs: [String]?
    public var actions: [String]?
    public var excludedActions: [String]?
    public var methods: [String]?
    public var loginIDs: [String]?
    public var tenants: [String]?
    /// Also those that belong to no tenant.
    public var includesTenantless = false
    public var text: String?
    public var from: UnixTime?
    public var to: UnixTime?

    public init() {}

    /// The wire counts in milliseconds.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["noTenants": .bool(includesTenantless)]
        members.put("userIds", userIDs)
        members.put("actions", actions)
        members.put("excludedActions", excludedActions)
        members.put("methods", methods)
        members.put("externalIds", loginIDs)
        members.put("tenants", tenants)
        members.put("text", text)
        members.put("from", from.map { $0.rawValue.multipliedReportingOverflow(by: 1_000).partialValue })
        members.put("to", to.map { $0.rawValue.multipliedReportingOverflow(by: 1_000).partialValue })
        return members
    }
}

/// One thing that happened.
public struct AuditRecord: Hashable, Sendable {
    public let userID: String
    public let action: String
    public let occurredAt: UnixTime
    public let device: String
    public let method: String
    public let remoteAddress: String
    public let loginIDs: [String]
    public let tenants: [String]
    public let data: [String: JSONValue]
}

extension AuditRecord: MethodMessage {
    /// The moment is in milliseconds, written as a number or as a text.
    public init(_ body: MethodBody) throws(MethodProblem) {
        userID = try body.text("userId") ?? ""
        action = try body.text("action") ?? ""
        if let text = body.members["occurred"]?.stringValue, let milliseconds = Int64(text) {
            occurredAt = UnixTime(rawValue: milliseconds / 1_000)
        } else {
            occurredAt = UnixTime(rawValue: (try body.integer("occurred") ?? 0) / 1_000)
        }
        device = try body.text("device") ?? ""
        method = try body.text("method") ?? ""
        remoteAddress = try body.text("remoteAddress") ?? ""
        loginIDs = try body.texts("externalIds")
        tenants = try body.texts("tenants")
        data = try body.object("data")
    }

    public var json: JSONValue {
        [
            "userId": .string(userID), "action": .string(action),
            "occurred": .integer(occurredAt.rawValue.multipliedReportingOverflow(by: 1_000).partialValue),
            "device": .string(device), "method": .string(method), "remoteAddress": .string(remoteAddress),
            "externalIds": .names(loginIDs), "tenants": .names(tenants), "data": .object(data),
        ]
    }
}
