public import KeyturnBase

/// `POST /v1/auth/refresh`: renews the session presented, or trades a token of another service for a session.
public struct RefreshRequest: Equatable, Sendable {
    /// A token of another service; `nil`: the session is in the bearer.
    public var externalToken: Secret?

    /// A request for the next session token.
    public init(externalToken: Secret? = nil) {
        self.externalToken = externalToken
    }
}

extension RefreshRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        externalToken = try body.secret("externalToken")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members.add("externalToken", externalToken)
        return .object(members)
    }
}

/// `POST /v1/auth/me/tenants`: the current tenant, or those named.
public struct TenantsRequest: Hashable, Sendable {
    /// Only the tenant that the session is for (`dct`).
    public var isCurrentOnly: Bool
    /// The identifiers of the tenants that are asked about.
    public var ids: [String]

    /// A request for tenants of the signed-in user.
    public init(isCurrentOnly: Bool = false, ids: [String] = []) {
        self.isCurrentOnly = isCurrentOnly
        self.ids = ids
    }
}

extension TenantsRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        isCurrentOnly = try body.flag("dct") ?? false
        ids = try body.texts("ids")
    }

    public var json: JSONValue { ["dct": .bool(isCurrentOnly), "ids": .texts(ids)] }
}

/// `POST /v1/auth/tenant/select`: the tenant that the session is for from now on.
public struct SelectTenantRequest: Hashable, Sendable {
    /// The identifier of the tenant that the next session token is for.
    public var tenant: String

    /// A request to change to this tenant.
    public init(tenant: String) {
        self.tenant = tenant
    }
}

extension SelectTenantRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        tenant = try body.requiredText("tenant")
    }

    public var json: JSONValue { ["tenant": .string(tenant)] }
}

/// `POST /v1/auth/accesskey/exchange`, with the access key in the bearer.
public struct AccessKeyExchangeRequest: Hashable, Sendable {
    /// Custom claims and the selected tenant count; the rest means nothing here.
    public var options: LoginOptions

    /// A request for a session token; the access key itself is in the `Authorization` header.
    public init(options: LoginOptions = .none) {
        self.options = options
    }
}

extension AccessKeyExchangeRequest: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        options = try LoginOptions(body.body("loginOptions"))
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members.add("loginOptions", options.json.objectValue ?? [:])
        return .object(members)
    }
}
