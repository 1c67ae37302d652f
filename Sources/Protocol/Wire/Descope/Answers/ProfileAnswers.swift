public import KeyturnBase

/// A tenant as its members see it.
public struct TenantAnswer: Hashable, Sendable {
    public var id: String
    public var name: String
    public var customAttributes: [String: JSONValue]

    public init(id: String, name: String, customAttributes: [String: JSONValue] = [:]) {
        self.id = id
        self.name = name
        self.customAttributes = customAttributes
    }
}

extension TenantAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        id = try body.requiredText("id")
        name = try body.text("name") ?? ""
        customAttributes = try body.object("customAttributes")
    }

    public var json: JSONValue {
        ["id": .string(id), "name": .string(name), "customAttributes": .object(customAttributes)]
    }
}

/// `{"tenants": […]}`.
public struct TenantsAnswer: Hashable, Sendable {
    public var tenants: [TenantAnswer]

    public init(tenants: [TenantAnswer]) {
        self.tenants = tenants
    }
}

extension TenantsAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        tenants = []
        for tenant in try body.bodies("tenants") { tenants.append(try TenantAnswer(tenant)) }
    }

    public var json: JSONValue { ["tenants": .array(tenants.map(\.json))] }
}

/// One sign-in of the past. `/auth/me/history` answers an array of them.
public struct LoginHistoryAnswer: Hashable, Sendable {
    public var userID: String
    public var loginTime: UnixTime
    public var city: String
    public var country: String
    public var ip: String

    public init(userID: String, loginTime: UnixTime, city: String = "", country: String = "", ip: String = "") {
        self.userID = userID
        self.loginTime = loginTime
        self.city = city
        self.country = country
        self.ip = ip
    }
}

extension LoginHistoryAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        userID = try body.requiredText("userId")
        loginTime = UnixTime(rawValue: try body.integer("loginTime") ?? 0)
        city = try body.text("city") ?? ""
        country = try body.text("country") ?? ""
        ip = try body.text("ip") ?? ""
    }

    public var json: JSONValue {
        [
            "userId": .string(userID), "loginTime": .integer(loginTime.rawValue), "city": .string(city),
            "country": .string(country), "ip": .string(ip),
        ]
    }
}
