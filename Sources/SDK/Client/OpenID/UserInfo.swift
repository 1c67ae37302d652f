public import KeyturnBase

/// What the service tells about the signed-in person (OpenID Connect Core §5.1, §5.3).
///
/// Every claim is kept in ``claims``, also those that this library does not know; the properties are the usual ones.
public struct UserInfo: Hashable, Sendable {
    /// The person at this issuer (`sub`); the same as in the ID token.
    public let subject: String
    /// Every claim, known or not.
    public let claims: [String: JSONValue]
    /// Where the claims are from; `nil` for a value that was decoded. Two values with the same claims are equal,
    /// wherever they are from.
    public let source: Source?

    init(subject: String, claims: [String: JSONValue], source: Source? = .idToken) {
        self.subject = subject
        self.claims = claims
        self.source = source
    }

    /// Where claims about a user are from.
    public enum Source: Hashable, Sendable {
        /// The ID token of the sign-in, or what a session keeps of it.
        case idToken
        /// The answer of the userinfo endpoint, or of the service's own call for it.
        case userInfoEndpoint
    }

    /// The full name, for display (`name`).
    public var name: String? { claims["name"]?.stringValue }
    /// The first name or names (`given_name`).
    public var givenName: String? { claims["given_name"]?.stringValue }
    /// The last name or names (`family_name`).
    public var familyName: String? { claims["family_name"]?.stringValue }
    /// A name for every day (`nickname`).
    public var nickname: String? { claims["nickname"]?.stringValue }
    /// A name to address the person by; not unique, and not for access decisions (§5.7).
    public var preferredUsername: String? { claims["preferred_username"]?.stringValue }
    /// The preferred e-mail address; not unique, and may change hands (§5.7).
    public var email: String? { claims["email"]?.stringValue }
    /// Whether the service checked that the address is this person's; `nil`: it does not say.
    public var isEmailVerified: Bool? { flag("email_verified") }
    /// The preferred number, usually in E.164 form (`phone_number`).
    public var phoneNumber: String? { claims["phone_number"]?.stringValue }
    /// Whether the service checked that the number is this person's; `nil`: it does not say.
    public var isPhoneNumberVerified: Bool? { flag("phone_number_verified") }
    /// The address of a picture of the person.
    public var picture: String? { claims["picture"]?.stringValue }
    /// The address of a page about the person.
    public var profile: String? { claims["profile"]?.stringValue }
    /// The address of the person's own page.
    public var website: String? { claims["website"]?.stringValue }
    /// As the person put it; `female` and `male` are the defined values.
    public var gender: String? { claims["gender"]?.stringValue }
    /// `YYYY-MM-DD`; the year is `0000` where it is left out, and may stand alone.
    public var birthdate: String? { claims["birthdate"]?.stringValue }
    /// The postal address; `nil` if none is told.
    public var address: Address? { claims["address"]?.objectValue.map(Address.init) }
    /// A BCP 47 language tag.
    public var locale: String? { claims["locale"]?.stringValue }
    /// A name of the time zone database, such as `Europe/Paris`.
    public var zoneInfo: String? { claims["zoneinfo"]?.stringValue }
    /// When the service last changed what it tells (`updated_at`: seconds, or a date of RFC 3339 as Auth0 writes it).
    public var updatedAt: UnixTime? {
        let seconds = claims["updated_at"]?.integerValue ?? claims["updated_at"]?.secondsValue
        return seconds.map { UnixTime(rawValue: $0) } ?? claims["updated_at"]?.stringValue.flatMap(InternetTime.parse)
    }

    /// Any other claim by its name.
    public subscript(claim: String) -> JSONValue? { claims[claim] }

    /// A truth value; Apple and Cognito write it as a text, others as a number.
    private func flag(_ claim: String) -> Bool? {
        let written: String
        switch claims[claim] {
        case .bool(let flag): return flag
        case .string(let text): written = text.lowercased()
        case .integer(let number): written = String(number)
        default: return nil
        }
        return ["true": true, "1": true, "false": false, "0": false][written]
    }
}

extension UserInfo {
    public static func == (left: UserInfo, right: UserInfo) -> Bool {
        left.subject == right.subject && left.claims == right.claims
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(subject)
        hasher.combine(claims)
    }
}

extension UserInfo {
    /// A postal address (OpenID Connect Core §5.1.1).
    public struct Address: Hashable, Sendable {
        /// The whole address as it is written on a letter; lines may end with a line feed.
        public let formatted: String?
        /// Street, house number, post-office box; lines may end with a line feed.
        public let streetAddress: String?
        /// The city.
        public let locality: String?
        /// The state, province or prefecture.
        public let region: String?
        /// The postal code.
        public let postalCode: String?
        /// The country.
        public let country: String?

        init(_ members: [String: JSONValue]) {
            formatted = members["formatted"]?.stringValue
            streetAddress = members["street_address"]?.stringValue
            locality = members["locality"]?.stringValue
            region = members["region"]?.stringValue
            postalCode = members["postal_code"]?.stringValue
            country = members["country"]?.stringValue
        }
    }
}

extension UserInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person.
    public var description: String { "UserInfo" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthError.Code {
    /// The UserInfo answer has another `sub` than the ID token (OpenID Connect Core §5.3.2). Nothing of it was used.
    public static let userInfoMismatch = Self(rawValue: "userinfo.subject_mismatch")
}

extension UserInfo: Codable {
    /// The claims, as in the answer of the service. Personal data.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let claims = try container.decode([String: JSONValue].self)
        guard let subject = claims["sub"]?.stringValue, !subject.isEmpty else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "sub is missing")
        }
        self.init(subject: subject, claims: claims, source: nil)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(claims.merging(["sub": .string(subject)]) { $1 })
    }
}
