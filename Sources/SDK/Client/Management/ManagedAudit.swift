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
    /// The identifiers of the users whom the records are about.
    public var userIDs: [String]?
    /// The actions to find, as ``AuditRecord/action`` spells them.
    public var actions: [String]?
    /// The actions to leave out.
    public var excludedActions: [String]?
    /// The sign-in methods to find, as ``AuditRecord/method`` spells them.
    public var methods: [String]?
    /// The login IDs of the users whom the records are about.
    public var loginIDs: [String]?
    /// The identifiers of the tenants that the records belong to.
    public var tenants: [String]?
    /// Also those that belong to no tenant.
    public var includesTenantless = false
    /// A text to find in the records.
    public var text: String?
    /// The earliest moment; one second is the smallest step.
    public var from: UnixTime?
    /// The latest moment; one second is the smallest step.
    public var to: UnixTime?

    /// A search for every record that is kept; set what restricts it.
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
    /// The identifier of the user whom it is about; empty if it is about none.
    public let userID: String
    /// What happened, as the service spells it.
    public let action: String
    /// When it happened, without fractions of a second.
    public let occurredAt: UnixTime
    /// The kind of device, as the service spells it; empty if it is not known.
    public let device: String
    /// The sign-in method, as the service spells it; empty if there was none.
    public let method: String
    /// The IP address of the client; empty if it is not known.
    public let remoteAddress: String
    /// The login IDs of the user.
    public let loginIDs: [String]
    /// The identifiers of the tenants that it belongs to.
    public let tenants: [String]
    /// What else the service recorded.
    public let data: [String: JSONValue]

    /// A field that was changed.
    public struct Change: Hashable, Sendable {
        /// Such as `email`, or `redirect_uris`.
        public let field: String
        /// `nil`: there was no value.
        public let before: String?
        /// `nil`: there is no value any more.
        public let after: String?
    }

    /// What was there before and after, without secrets; empty if nothing was changed, or its user is deleted.
    public var changes: [Change] {
        (data["changes"]?.arrayValue ?? []).compactMap { change in
            change["field"]?.stringValue.map {
                Change(field: $0, before: change["before"]?.stringValue, after: change["after"]?.stringValue)
            }
        }
    }
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
