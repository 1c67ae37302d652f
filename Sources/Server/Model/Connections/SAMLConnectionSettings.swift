public import KeyturnBase

/// A connection to an identity provider of SAML 2.0.
public struct SAMLConnectionSettings: Hashable, Sendable, Codable {
    /// The provider's entityID, compared byte for byte: at most 1,024 characters.
    public var entityID: String
    /// Where requests go, by HTTP-Redirect or HTTP-POST: https.
    public var signOnURL: String
    /// How requests go there; `nil`: by HTTP-Redirect.
    public var signOnBinding: SAMLBinding?
    /// Where logout requests go; `nil`: no single logout.
    public var logoutURL: String?
    /// How logout messages go there; `nil`: by HTTP-Redirect.
    public var logoutBinding: SAMLBinding?
    /// Where answers to the provider's logout requests go; `nil`: to ``logoutURL``.
    public var logoutResponseURL: String?
    /// The provider's certificates, PEM or base64 of DER: one to four. Their public keys are what is trusted.
    public var certificates: [String]
    /// Where the provider's metadata is read again each day; `nil`: never.
    public var metadataURL: String?
    /// The last reading of ``metadataURL``; `nil`: it is due.
    public var metadataReading: MetadataReading?
    /// Whether requests are signed.
    public var signsRequests: Bool
    /// Whether the assertion itself must be signed, not the response around it alone.
    public var wantsAssertionsSigned: Bool
    /// Whether a plain assertion is refused.
    public var wantsAssertionsEncrypted: Bool
    /// Whether the provider may begin a sign-in.
    public var allowsUnsolicited: Bool
    /// Where users may land after a sign-in that the provider began: its RelayState names one of them, byte for byte, and
    /// the first one is the usual one; `nil` or empty: the settings.
    public var landingURIs: [String]?
    /// The NameID format to ask for; `nil`: the provider chooses.
    public var nameIDFormat: String?
    /// The attribute that identifies the user instead of the NameID.
    public var subjectAttribute: String?
    /// Attributes by the names that we use (`email`, `name`, `given_name`, `family_name`, `groups`, …); empty: the
    /// usual names.
    public var mapping: [String: String]
    /// The operator's word that addresses of this provider may link accounts. A tenant's provider vouches for the
    /// tenant's proven domains without it.
    public var trustsEmail: Bool
    /// How far clocks may differ, in seconds: at most 180.
    public var skewSeconds: Int64

    public init(
        entityID: String, signOnURL: String, logoutURL: String? = nil, certificates: [String],
        metadataURL: String? = nil, signsRequests: Bool = true, wantsAssertionsSigned: Bool = false,
        wantsAssertionsEncrypted: Bool = false, allowsUnsolicited: Bool = false, nameIDFormat: String? = nil,
        subjectAttribute: String? = nil, mapping: [String: String] = [:], trustsEmail: Bool = false,
        skewSeconds: Int64 = 60
    ) {
        self.entityID = entityID
        self.signOnURL = signOnURL
        self.logoutURL = logoutURL
        self.certificates = certificates
        self.metadataURL = metadataURL
        self.signsRequests = signsRequests
        self.wantsAssertionsSigned = wantsAssertionsSigned
        self.wantsAssertionsEncrypted = wantsAssertionsEncrypted
        self.allowsUnsolicited = allowsUnsolicited
        self.nameIDFormat = nameIDFormat
        self.subjectAttribute = subjectAttribute
        self.mapping = mapping
        self.trustsEmail = trustsEmail
        self.skewSeconds = skewSeconds
    }
}

/// How a message goes through the browser (Bindings §3.4 and §3.5).
public enum SAMLBinding: String, Hashable, Sendable, Codable {
    /// In an address.
    case redirect
    /// In a form that the browser sends by itself.
    case post
}

/// When a provider's metadata was read, and what the next request may refer to.
public struct MetadataReading: Hashable, Sendable, Codable {
    /// The address that was read: what follows counts for it alone.
    public let address: String
    /// Then it is read again.
    public var dueAt: UnixTime
    /// `ETag` of the answer, at most ``validatorBytesMax`` bytes.
    public let entityTag: String?
    /// `Last-Modified` of the answer.
    public let lastModified: String?

    /// Longer validators are not kept.
    public static let validatorBytesMax = 256

    public init(address: String, dueAt: UnixTime, entityTag: String? = nil, lastModified: String? = nil) {
        self.address = address
        self.dueAt = dueAt
        self.entityTag = entityTag.flatMap { $0.utf8.count <= Self.validatorBytesMax ? $0 : nil }
        self.lastModified = lastModified.flatMap { $0.utf8.count <= Self.validatorBytesMax ? $0 : nil }
    }
}
