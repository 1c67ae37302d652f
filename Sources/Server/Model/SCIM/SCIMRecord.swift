public import KeyturnBase

/// A user or group as a tenant's provisioning client made it.
public struct SCIMRecord: Hashable, Sendable {
    /// The resource type (RFC 7643 §6).
    public enum Kind: String, Hashable, Sendable {
        case user = "User"
        case group = "Group"
    }

    /// Made by the server, never used again, and meaningless in other tenants.
    public let id: String
    public let tenantID: String
    public let kind: Kind
    /// Its place in the order of creation.
    public let number: Int64
    /// What the client sent, under the names of the schema, without `members`.
    public let attributes: [String: JSONValue]
    /// Whether a user is active in the tenant; always true for groups.
    public let isActive: Bool
    /// The account; `nil` for groups.
    public let userID: UserID?
    /// The role that the members of a group have; `nil`: none.
    public let roleID: String?
    /// The login ID that the directory gave the account; empty: none; `nil`: from before this was recorded.
    public let givenLoginID: String?
    /// Raised by each change, from 1.
    public let version: Int64
    public let createdAt: UnixTime
    public let updatedAt: UnixTime

    public init(
        id: String, tenantID: String, kind: Kind, number: Int64, attributes: [String: JSONValue], isActive: Bool,
        userID: UserID?, roleID: String?, givenLoginID: String? = nil, version: Int64, createdAt: UnixTime,
        updatedAt: UnixTime
    ) {
        self.id = id
        self.tenantID = tenantID
        self.kind = kind
        self.number = number
        self.attributes = attributes
        self.isActive = isActive
        self.userID = userID
        self.roleID = roleID
        self.givenLoginID = givenLoginID
        self.version = version
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// What is written of a resource.
public struct SCIMContent: Hashable, Sendable {
    /// One text of the resource, as filters and orders see it.
    public struct Value: Hashable, Sendable {
        /// The attribute in lower case, with its sub-attribute: `emails.type`.
        public let path: String
        /// The place in a multi-valued attribute, from 0.
        public let element: Int
        /// In lower case, unless case matters for the attribute.
        public let text: String

        public init(_ path: String, element: Int, _ text: String) {
            self.path = path
            self.element = element
            self.text = text
        }
    }

    public var attributes: [String: JSONValue]
    /// `userName` or `displayName` in lower case: unique in the tenant.
    public var nameKey: String
    /// The client's identifier: unique in the tenant.
    public var externalID: String?
    public var isActive: Bool
    public var values: [Value]

    public init(
        attributes: [String: JSONValue], nameKey: String, externalID: String?, isActive: Bool, values: [Value]
    ) {
        self.attributes = attributes
        self.nameKey = nameKey
        self.externalID = externalID
        self.isActive = isActive
        self.values = values
    }
}

/// What a provisioned user's own account gets of a resource.
public struct SCIMProfile: Hashable, Sendable {
    /// Claims by OpenID Connect's names, without addresses; those that are not here are removed.
    public var claims: [String: JSONValue]
    /// The address for messages; `nil`: none.
    public var email: String?
    /// Whether the tenant has proven the address's domain: only then may the address become a login ID.
    public var isEmailProven: Bool

    public init(claims: [String: JSONValue], email: String?, isEmailProven: Bool) {
        self.claims = claims
        self.email = email
        self.isEmailProven = isEmailProven
    }

    /// The claims that provisioning sets.
    public static let claimNames: Set<String> = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "locale", "zoneinfo",
    ]

    /// The profile in an account that provisioning made.
    ///
    /// - Parameters:
    ///   - isFree: whether no other user has the address, as a login ID or as a contact that was proved.
    ///   - former: the address that the directory said before; `nil`: none.
    ///   - given: the login ID of the account that the directory gave (``SCIMRecord/givenAddress(in:)``); `nil`: none.
    ///     Any other one that was proved is the user's own, also if the directory says it.
    ///   - isHeldAlone: whether nothing but the directory holds the account. Else messages would go to an address
    ///     that was not proved.
    /// - Returns: the login ID that the directory gives from now on; `nil`: none.
    public func apply(
        to account: inout Account, isFree: Bool, replacing former: String?, given: Identifier?,
        isHeldAlone: Bool = true
    ) -> Identifier? {
        for name in Self.claimNames { account.user.claims[name] = claims[name] }
        let (said, before) = (loginID, former.flatMap(Identifier.init(loginID:)))
        // The login ID follows the directory's address; others, which the user verified, stay.
        if let given, given != said { account.identifiers[given] = nil }
        let wasProved = said.map { account.identifiers[$0] == .verified } ?? false
        let isAdded = said != nil && !wasProved && isEmailProven && isFree
        if let said, isAdded { account.identifiers[said] = .verified }
        setContact(
            of: &account, isOwn: wasProved || isAdded, replacing: before, given: given, isHeldAlone: isHeldAlone)
        return isAdded || given == said ? said : nil
    }

    /// The address as a login ID; `nil`: it is none, or not written as it is compared.
    private var loginID: Identifier? {
        guard let email, Identifier.isOwnForm(of: email), let identifier = Identifier(loginID: email),
            identifier.kind == .email
        else { return nil }
        return identifier
    }

    /// The address that messages go to follows the directory's, unless the user proved it.
    ///
    /// - Parameters:
    ///   - isOwn: whether the directory's address is a verified login ID of the account.
    ///   - former: the address that the directory said before.
    ///   - given: the login ID that it gave before.
    private func setContact(
        of account: inout Account, isOwn: Bool, replacing former: Identifier?, given: Identifier?, isHeldAlone: Bool
    ) {
        let present = account.email.flatMap(Identifier.init(loginID:))
        guard present == nil || present == given || !account.isEmailVerified else { return }
        if isOwn || isHeldAlone {
            account.set(.email, email, isVerified: isOwn)
        } else if present == former || present == given {
            account.set(.email, nil, isVerified: false)
        }
    }
}

extension SCIMProfile {
    /// The address in a user's attributes: the primary one, else that of work, else the first; else the user name, if it is
    /// one.
    package static func email(in attributes: [String: JSONValue]) -> String? {
        let emails = attributes["emails"]?.arrayValue ?? []
        let ordered =
            emails.filter { $0["primary"]?.boolValue == true }
            + emails.filter { $0["type"]?.stringValue?.lowercased() == "work" } + emails
        let texts =
            ordered.compactMap { $0["value"]?.stringValue } + [attributes["userName"]?.stringValue].compactMap(\.self)
        return texts.first { Identifier(loginID: $0)?.kind == .email && EmailDomain(ofAddress: $0) != nil }
    }
}

extension SCIMRecord {
    /// The address that the directory said of the user last; `nil`: none.
    package var email: String? { SCIMProfile.email(in: attributes) }

    /// Whether it is the address that the directory said of the user last.
    package func says(_ address: Identifier) -> Bool {
        guard let email, Identifier.isOwnForm(of: email) else { return false }
        return Identifier(loginID: email) == address
    }

    /// The login ID that the directory gave the account; `nil`: none. Of a resource from before that was recorded it is
    /// the address that the directory said last, if it lies in a domain that the tenant has proven.
    package func givenAddress(in provenDomains: Set<String>) -> Identifier? {
        if let givenLoginID { return Identifier(loginID: givenLoginID) }
        guard let email, Identifier.isOwnForm(of: email), let domain = EmailDomain(ofAddress: email),
            provenDomains.contains(domain.name)
        else { return nil }
        return Identifier(loginID: email)
    }
}
