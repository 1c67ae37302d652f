public import KeyturnBase

/// A user as the wire shows them: bare at `/auth/me`, within a session answer, wrapped by management.
public struct UserAnswer: Hashable, Sendable {
    /// Whether a user may sign in. Servers may know more of them.
    public struct Status: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The user may sign in.
        public static let enabled = Self(rawValue: "enabled")
        /// The user may not sign in.
        public static let disabled = Self(rawValue: "disabled")
        /// The user was invited and has not signed in yet.
        public static let invited = Self(rawValue: "invited")
        /// The user may not sign in any more.
        public static let expired = Self(rawValue: "expired")
    }

    /// A tenant that the user belongs to.
    public struct Membership: Hashable, Sendable {
        /// The tenant's identifier.
        public var tenantID: String
        /// What the tenant is called.
        public var tenantName: String
        /// The names of the user's roles in this tenant.
        public var roleNames: [String]

        /// A membership in a tenant.
        public init(tenantID: String, tenantName: String = "", roleNames: [String] = []) {
            self.tenantID = tenantID
            self.tenantName = tenantName
            self.roleNames = roleNames
        }
    }

    /// The identifier that the service gave the user; it never changes.
    public var userID: String
    /// The names that the user signs in with.
    public var loginIDs: [String]
    /// Whether the user may sign in.
    public var status: Status
    /// When the user was created.
    public var createdTime: UnixTime
    /// The email address; empty if there is none.
    public var email: String
    /// Whether the user proved the email address.
    public var verifiedEmail: Bool
    /// The telephone number; empty if there is none.
    public var phone: String
    /// Whether the user proved the telephone number.
    public var verifiedPhone: Bool
    /// The whole name, as it is shown; empty if there is none.
    public var name: String
    /// The first name; empty if there is none.
    public var givenName: String
    /// The middle name; empty if there is none.
    public var middleName: String
    /// The last name; empty if there is none.
    public var familyName: String
    /// The address of a picture; empty if there is none.
    public var picture: String
    /// The names of the roles that the user has in no tenant.
    public var roleNames: [String]
    /// The tenants that the user belongs to.
    public var userTenants: [Membership]
    /// The identifiers of the applications that the user may open by single sign-on.
    public var ssoAppIDs: [String]
    /// Whether the user has a passkey.
    public var webauthn: Bool
    /// Whether the user has a password.
    public var password: Bool
    /// Whether the user has an authenticator.
    public var totp: Bool
    /// The social providers that the user signed in with.
    public var oauth: [String: Bool]
    /// Whether the user signs in through a tenant's own identity provider.
    public var saml: Bool
    /// Whether the user was provisioned by SCIM.
    public var scim: Bool
    /// Attributes that the project defines, by name.
    public var customAttributes: [String: JSONValue]
    /// Whether this is a user for tests.
    public var isTest: Bool
    /// Whether the user has no account: a key or a session is all that they are known by. Keyturn's own member.
    public var isAnonymous: Bool

    /// A user of whom nothing is known but these. `""` stands for nothing, as on the wire.
    public init(userID: String, loginIDs: [String], status: Status, createdTime: UnixTime) {
        self.userID = userID
        self.loginIDs = loginIDs
        self.status = status
        self.createdTime = createdTime
        email = ""
        verifiedEmail = false
        phone = ""
        verifiedPhone = false
        name = ""
        givenName = ""
        middleName = ""
        familyName = ""
        picture = ""
        roleNames = []
        userTenants = []
        ssoAppIDs = []
        webauthn = false
        password = false
        totp = false
        oauth = [:]
        saml = false
        scim = false
        customAttributes = [:]
        isTest = false
        isAnonymous = false
    }
}

extension UserAnswer: MethodMessage {
    /// Needs the identifier; everything else may be missing.
    public init(_ body: MethodBody) throws(MethodProblem) {
        self.init(
            userID: try body.requiredText("userId"), loginIDs: try body.texts("loginIds"),
            status: Status(rawValue: try body.text("status") ?? ""),
            createdTime: UnixTime(rawValue: try body.integer("createdTime") ?? 0))
        email = try body.text("email") ?? ""
        verifiedEmail = try body.flag("verifiedEmail") ?? false
        phone = try body.text("phone") ?? ""
        verifiedPhone = try body.flag("verifiedPhone") ?? false
        name = try body.text("name") ?? ""
        givenName = try body.text("givenName") ?? ""
        middleName = try body.text("middleName") ?? ""
        familyName = try body.text("familyName") ?? ""
        picture = try body.text("picture") ?? ""
        roleNames = try body.texts("roleNames")
        for tenant in try body.bodies("userTenants") { userTenants.append(try Membership(tenant)) }
        ssoAppIDs = try body.texts("ssoAppIds")
        webauthn = try body.flag("webauthn") ?? false
        password = try body.flag("password") ?? false
        totp = try body.flag("TOTP") ?? false
        for (provider, value) in try body.object("OAuth") { oauth[provider] = value.boolValue ?? false }
        saml = try body.flag("SAML") ?? false
        scim = try body.flag("SCIM") ?? false
        customAttributes = try body.object("customAttributes")
        isTest = try body.flag("test") ?? false
        isAnonymous = try body.flag("anonymous") ?? false
    }

    /// Names every member always: there are clients that refuse a user who lacks one. `anonymous` only where it is true:
    /// none of them knows it.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "userId": .string(userID), "loginIds": .texts(loginIDs), "status": .string(status.rawValue),
            "createdTime": .integer(createdTime.rawValue), "email": .string(email),
            "verifiedEmail": .bool(verifiedEmail), "phone": .string(phone), "verifiedPhone": .bool(verifiedPhone),
            "name": .string(name), "givenName": .string(givenName), "middleName": .string(middleName),
            "familyName": .string(familyName), "picture": .string(picture), "roleNames": .texts(roleNames),
            "userTenants": .array(userTenants.map(\.json)), "ssoAppIds": .texts(ssoAppIDs),
            "webauthn": .bool(webauthn), "password": .bool(password), "TOTP": .bool(totp),
            "OAuth": .object(oauth.mapValues { .bool($0) }), "SAML": .bool(saml), "SCIM": .bool(scim),
            "customAttributes": .object(customAttributes), "test": .bool(isTest),
        ]
        if isAnonymous { members["anonymous"] = true }
        return .object(members)
    }
}

extension UserAnswer.Membership: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        self.init(
            tenantID: try body.requiredText("tenantId"), tenantName: try body.text("tenantName") ?? "",
            roleNames: try body.texts("roleNames"))
    }

    public var json: JSONValue {
        ["tenantId": .string(tenantID), "tenantName": .string(tenantName), "roleNames": .texts(roleNames)]
    }
}

extension UserAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The identifier alone: names and addresses do not belong into logs.
    public var description: String { "UserAnswer(\(userID))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
