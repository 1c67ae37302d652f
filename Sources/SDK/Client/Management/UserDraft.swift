public import KeyturnBase
internal import KeyturnWire

/// What a backend says about a user. What is `nil` is not said: a new user has none of it, ``ManagedUsers/update(_:_:)``
/// takes it away, ``ManagedUsers/patch(_:_:)`` leaves it as it is.
public struct UserDraft: Hashable, Sendable {
    /// The email address.
    public var email: String?
    /// Whether the email address counts as proved by its owner.
    public var verifiedEmail: Bool?
    /// The telephone number.
    public var phone: String?
    /// Whether the telephone number counts as proved by its owner.
    public var verifiedPhone: Bool?
    /// The whole name, as it is shown.
    public var displayName: String?
    /// The first name.
    public var givenName: String?
    /// The middle name.
    public var middleName: String?
    /// The last name.
    public var familyName: String?
    /// The address of a picture.
    public var picture: String?
    /// Roles that depend on no tenant.
    public var roleNames: [String]?
    /// The tenants that the user belongs to, with the roles in each.
    public var tenants: [TenantRoles]?
    /// Attributes that the project defines, by name.
    public var customAttributes: [String: JSONValue]?
    /// Identifiers beside the first.
    public var additionalLoginIDs: [String]?
    /// The identifiers of the applications that the user may open by single sign-on.
    public var ssoAppIDs: [String]?
    /// Whether the user may sign in.
    public var status: UserDetails.Status?

    /// A draft; set whatever is known.
    public init(
        email: String? = nil, phone: String? = nil, displayName: String? = nil, roleNames: [String]? = nil,
        tenants: [TenantRoles]? = nil, customAttributes: [String: JSONValue]? = nil
    ) {
        self.email = email
        self.phone = phone
        self.displayName = displayName
        self.roleNames = roleNames
        self.tenants = tenants
        self.customAttributes = customAttributes
    }
}

/// A tenant, and the roles in it.
public struct TenantRoles: Hashable, Sendable {
    /// The tenant's identifier.
    public var tenantID: String
    /// The names of the roles in that tenant.
    public var roleNames: [String]

    /// Membership in a tenant; without roles unless they are named.
    public init(_ tenantID: String, roleNames: [String] = []) {
        self.tenantID = tenantID
        self.roleNames = roleNames
    }

    var json: JSONValue { ["tenantId": .string(tenantID), "roleNames": .names(roleNames)] }
}

/// How a new user is told.
public struct Invitation: Hashable, Sendable {
    /// Where the invitation leads; `nil`: where the project says.
    public var url: String?
    /// Whether an email is sent; `nil`: as the project says.
    public var sendsMail: Bool?
    /// Whether a text message is sent; `nil`: as the project says.
    public var sendsSMS: Bool?
    /// The identifier of the message's template; `nil`: the project's.
    public var templateID: String?
    /// As a BCP 47 tag.
    public var locale: String?

    /// An invitation; what is left out is as the project says.
    public init(
        url: String? = nil, sendsMail: Bool? = nil, sendsSMS: Bool? = nil, templateID: String? = nil,
        locale: String? = nil
    ) {
        self.url = url
        self.sendsMail = sendsMail
        self.sendsSMS = sendsSMS
        self.templateID = templateID
        self.locale = locale
    }

    func add(to members: inout [String: JSONValue]) {
        members["invite"] = true
        members.put("inviteUrl", url)
        members.put("sendMail", sendsMail)
        members.put("sendSMS", sendsSMS)
        members.put("templateId", templateID)
        members.put("locale", locale)
    }
}

extension UserDraft {
    /// The members of a request.
    ///
    /// - Parameter ssoApps: How they are spelt there.
    func members(_ loginID: String, ssoApps: String = "ssoAppIDs") -> [String: JSONValue] {
        var members: [String: JSONValue] = ["loginId": .string(loginID)]
        members.put("email", email)
        members.put("verifiedEmail", verifiedEmail)
        members.put("phone", phone)
        members.put("verifiedPhone", verifiedPhone)
        members.put("displayName", displayName)
        members.put("givenName", givenName)
        members.put("middleName", middleName)
        members.put("familyName", familyName)
        members.put("picture", picture)
        members.put("roleNames", roleNames)
        if let tenants { members["userTenants"] = .array(tenants.map(\.json)) }
        members.put("customAttributes", customAttributes)
        members.put("additionalLoginIds", additionalLoginIDs)
        members.put(ssoApps, ssoAppIDs)
        members.put("status", status?.wire.rawValue)
        return members
    }
}

extension UserDraft: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "UserDraft" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A user to make beside others, who may bring a password.
public struct BatchUser: Sendable {
    /// The user's first login ID.
    public var loginID: String
    /// What else is known of the user.
    public var draft: UserDraft
    /// In clear; the service hashes it.
    public var password: Secret?
    /// A hash from elsewhere, by its method: `bcrypt`, `firebase`, `pbkdf2`, `django`.
    public var hashedPassword: [String: JSONValue]?
    /// An authenticator's key from elsewhere.
    public var seed: Secret?

    /// A user; without a password or an authenticator unless they are given.
    public init(
        _ loginID: String, _ draft: UserDraft = UserDraft(), password: Secret? = nil,
        hashedPassword: [String: JSONValue]? = nil, seed: Secret? = nil
    ) {
        self.loginID = loginID
        self.draft = draft
        self.password = password
        self.hashedPassword = hashedPassword
        self.seed = seed
    }

    var json: JSONValue {
        var members = draft.members(loginID)
        members.put("password", password?.exposed())
        members.put("hashedPassword", hashedPassword)
        members.put("seed", seed?.exposed())
        return .object(members)
    }
}

extension BatchUser: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person, the password and the hash.
    public var description: String { "BatchUser" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which users a search is about. What is `nil` restricts nothing.
public struct UserSearch: Hashable, Sendable {
    /// Users who belong to one of these tenants, by identifier.
    public var tenantIDs: [String]?
    /// Users who have one of these roles.
    public var roleNames: [String]?
    /// Users with one of these email addresses.
    public var emails: [String]?
    /// Users with one of these telephone numbers.
    public var phones: [String]?
    /// Users with one of these login IDs.
    public var loginIDs: [String]?
    /// Users with one of these statuses.
    public var statuses: [UserDetails.Status]?
    /// Users with these values of the project's own attributes.
    public var customAttributes: [String: JSONValue]?
    /// Users in whose names or addresses this text occurs.
    public var text: String?
    /// How many at most; `nil`: as many as the service gives.
    public var limit: Int?
    /// Which page of so many, from 0.
    public var page: Int?

    /// A search for every user; set what restricts it.
    public init(tenantIDs: [String]? = nil, roleNames: [String]? = nil, limit: Int? = nil, page: Int? = nil) {
        self.tenantIDs = tenantIDs
        self.roleNames = roleNames
        self.limit = limit
        self.page = page
    }

    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        members.put("tenantIds", tenantIDs)
        members.put("roleNames", roleNames)
        members.put("emails", emails)
        members.put("phones", phones)
        members.put("loginIds", loginIDs)
        members.put("statuses", statuses?.map(\.wire.rawValue))
        members.put("customAttributes", customAttributes)
        members.put("text", text)
        members.put("limit", limit.map(Int64.init))
        members.put("page", page.map(Int64.init))
        return members
    }
}
