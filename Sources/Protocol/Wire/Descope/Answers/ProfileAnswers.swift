public import KeyturnBase

/// A tenant as its members see it.
public struct TenantAnswer: Hashable, Codable, Sendable {
    /// The tenant's identifier.
    public var id: String
    /// What the tenant is called.
    public var name: String
    /// Attributes that the project defines, by name.
    public var customAttributes: [String: JSONValue]

    /// A tenant.
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
    /// The tenants of the user.
    public var tenants: [TenantAnswer]

    /// An answer with these tenants.
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
public struct LoginHistoryAnswer: Hashable, Codable, Sendable {
    /// The identifier of the user who signed in.
    public var userID: String
    /// When the user signed in.
    public var loginTime: UnixTime
    /// The city, as the service guesses it from the IP address; empty if it does not.
    public var city: String
    /// The country, as the service guesses it from the IP address; empty if it does not.
    public var country: String
    /// The IP address; empty if it is not known.
    public var ip: String

    /// A sign-in of the past.
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
