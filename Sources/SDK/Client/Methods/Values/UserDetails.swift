public import KeyturnBase
public import KeyturnWire

/// What a service knows about a user.
///
/// Its encoded form has the names of the properties here. It is personal data, and of its time: what cannot be decoded
/// is asked for again, with ``ProfileMethods/me(refreshJwt:)``.
public struct UserDetails: Hashable, Codable, Sendable {
    /// Whether the user may sign in. A status that this release does not know is not taken for a yes.
    public enum Status: Hashable, Sendable {
        /// `enabled`: may sign in; `disabled`: may not; `invited`: was invited and has not signed in yet; `expired`:
        /// may not sign in any more.
        case enabled, disabled, invited, expired
        /// A status that this release does not know, as the service spells it.
        case unknown(String)
    }

    /// How the user can prove who they are.
    public struct Authentication: Hashable, Codable, Sendable {
        /// Whether the user has a passkey.
        public let passkey: Bool
        /// Whether the user has a password.
        public let password: Bool
        /// Whether the user has an authenticator app.
        public let totp: Bool
        /// Social providers.
        public let oauth: Set<String>
        /// Whether the user signs in through single sign-on of a tenant (SAML).
        public let sso: Bool
        /// Whether the user was provisioned by SCIM.
        public let scim: Bool
    }

    /// What the user may do, as far as it depends on no tenant.
    public struct Authorization: Hashable, Codable, Sendable {
        /// The names of the roles.
        public let roles: Set<String>
        /// The identifiers of the applications that the user may open by single sign-on.
        public let ssoAppIds: Set<String>
    }

    /// A tenant that the user belongs to.
    public struct Membership: Hashable, Codable, Sendable {
        /// The tenant's identifier.
        public let tenantId: String
        /// What the tenant is called.
        public let tenantName: String
        /// The names of the user's roles in this tenant.
        public let roles: Set<String>
    }

    /// The identifier that the service gave the user; it never changes.
    public let userId: String
    /// The names that the user signs in with, such as email addresses and telephone numbers.
    public let loginIds: [String]
    /// Whether the user may sign in.
    public let status: Status
    /// When the user was created.
    public let createdAt: UnixTime
    /// The email address; `nil` if there is none.
    public let email: String?
    /// Whether the user proved the email address.
    public let isVerifiedEmail: Bool
    /// The telephone number; `nil` if there is none.
    public let phone: String?
    /// Whether the user proved the telephone number.
    public let isVerifiedPhone: Bool
    /// The whole name, as it is shown; `nil` if there is none.
    public let name: String?
    /// The first name; `nil` if there is none.
    public let givenName: String?
    /// The middle name; `nil` if there is none.
    public let middleName: String?
    /// The last name; `nil` if there is none.
    public let familyName: String?
    /// The address of a picture, as the service wrote it.
    public let picture: String?
    /// How the user can sign in.
    public let authentication: Authentication
    /// The user's rights outside of tenants.
    public let authorization: Authorization
    /// The tenants that the user belongs to.
    public let tenants: [Membership]
    /// Attributes that the project defines, by name.
    public let customAttributes: [String: JSONValue]
    /// Whether this is a user for tests.
    public let isTest: Bool

    /// What an answer says.
    public init(_ answer: UserAnswer) {
        userId = answer.userID
        loginIds = answer.loginIDs
        status = Status(answer.status)
        createdAt = answer.createdTime
        email = Self.present(answer.email)
        isVerifiedEmail = answer.verifiedEmail
        phone = Self.present(answer.phone)
        isVerifiedPhone = answer.verifiedPhone
        name = Self.present(answer.name)
        givenName = Self.present(answer.givenName)
        middleName = Self.present(answer.middleName)
        familyName = Self.present(answer.familyName)
        picture = Self.present(answer.picture)
        authentication = Authentication(
            passkey: answer.webauthn, password: answer.password, totp: answer.totp,
            oauth: Set(answer.oauth.filter(\.value).keys), sso: answer.saml, scim: answer.scim)
        authorization = Authorization(roles: Set(answer.roleNames), ssoAppIds: Set(answer.ssoAppIDs))
        tenants = answer.userTenants.map {
            Membership(tenantId: $0.tenantID, tenantName: $0.tenantName, roles: Set($0.roleNames))
        }
        customAttributes = answer.customAttributes
        isTest = answer.isTest
    }

    private static func present(_ text: String) -> String? {
        text.isEmpty ? nil : text
    }
}

extension UserDetails.Status {
    init(_ status: UserAnswer.Status) {
        switch status {
        case .enabled: self = .enabled
        case .disabled: self = .disabled
        case .invited: self = .invited
        case .expired: self = .expired
        default: self = .unknown(status.rawValue)
        }
    }

    /// As the wire spells it.
    var wire: UserAnswer.Status {
        switch self {
        case .enabled: .enabled
        case .disabled: .disabled
        case .invited: .invited
        case .expired: .expired
        case .unknown(let text): UserAnswer.Status(rawValue: text)
        }
    }
}

extension UserDetails.Status: Codable {
    /// As the wire spells it.
    public init(from decoder: any Decoder) throws {
        self.init(UserAnswer.Status(rawValue: try decoder.singleValueContainer().decode(String.self)))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wire.rawValue)
    }
}

extension UserDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "UserDetails" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
