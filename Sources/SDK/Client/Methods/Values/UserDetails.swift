public import KeyturnBase
public import KeyturnWire

/// What a service knows about a user.
public struct UserDetails: Hashable, Sendable {
    /// Whether the user may sign in. A status that this release does not know is not taken for a yes.
    public enum Status: Hashable, Sendable {
        case enabled, disabled, invited, expired
        case unknown(String)
    }

    /// How the user can prove who they are.
    public struct Authentication: Hashable, Sendable {
        public let passkey: Bool
        public let password: Bool
        public let totp: Bool
        /// Social providers.
        public let oauth: Set<String>
        public let sso: Bool
        public let scim: Bool
    }

    /// What the user may do, as far as it depends on no tenant.
    public struct Authorization: Hashable, Sendable {
        public let roles: Set<String>
        public let ssoAppIds: Set<String>
    }

    /// A tenant that the user belongs to.
    public struct Membership: Hashable, Sendable {
        public let tenantId: String
        public let tenantName: String
        public let roles: Set<String>
    }

    public let userId: String
    public let loginIds: [String]
    public let status: Status
    public let createdAt: UnixTime
    public let email: String?
    public let isVerifiedEmail: Bool
    public let phone: String?
    public let isVerifiedPhone: Bool
    public let name: String?
    public let givenName: String?
    public let middleName: String?
    public let familyName: String?
    /// The address of a picture, as the service wrote it.
    public let picture: String?
    public let authentication: Authentication
    public let authorization: Authorization
    public let tenants: [Membership]
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

extension UserDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "UserDetails" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
