/// A connection to a directory that checks passwords (LDAP, RFC 4511).
public struct LDAPConnectionSettings: Hashable, Sendable, Codable {
    /// `ldaps://` or `ldap://`; the latter is raised by StartTLS, unless it is loopback and no
    /// ``certificateAuthorities`` are named.
    public var url: String
    /// The service's name, to search with.
    public var bindDN: String
    /// The service's password.
    public var bindPassword: String
    /// Where users are searched.
    public var baseDN: String
    /// The filter that finds a user: `{login}` stands for what was typed, escaped.
    public var filter: String
    /// The attribute that identifies a user for ever: `entryUUID`, or `objectGUID` of Active Directory.
    public var subjectAttribute: String
    /// PEM certificates that the server's must come from; `nil`: the system's.
    public var certificateAuthorities: String?
    /// The attribute that names the user's groups.
    public var groupAttribute: String
    /// The filter that finds the groups of a user, where entries of users do not name them: `{dn}` stands for the name
    /// of the user's entry, escaped. `nil`: only ``groupAttribute`` counts.
    public var groupFilter: String?
    /// Where groups are searched; `nil`: at ``baseDN``.
    public var groupBaseDN: String?
    /// Attributes by the names that we use; empty: `mail`, `cn`, `givenName`, `sn`, `telephoneNumber`.
    public var mapping: [String: String]
    /// The operator's word that addresses of this directory may link accounts.
    public var trustsEmail: Bool

    public init(
        url: String, bindDN: String, bindPassword: String, baseDN: String,
        filter: String = "(|(uid={login})(mail={login}))", subjectAttribute: String = "entryUUID",
        certificateAuthorities: String? = nil, groupAttribute: String = "memberOf", groupFilter: String? = nil,
        groupBaseDN: String? = nil, mapping: [String: String] = [:], trustsEmail: Bool = false
    ) {
        self.url = url
        self.bindDN = bindDN
        self.bindPassword = bindPassword
        self.baseDN = baseDN
        self.filter = filter
        self.subjectAttribute = subjectAttribute
        self.certificateAuthorities = certificateAuthorities
        self.groupAttribute = groupAttribute
        self.groupFilter = groupFilter
        self.groupBaseDN = groupBaseDN
        self.mapping = mapping
        self.trustsEmail = trustsEmail
    }
}
