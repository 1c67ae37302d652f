/// The bounds of provisioning (SCIM 2.0) and of tenants' domains.
extension Limits {
    /// Tokens of a tenant for its provisioning: two during a rotation, and some for other clients.
    public static let scimTokensMax = 10
    /// Bytes of a request's body, also of a bulk request.
    public static let scimBodyBytesMax = 1_048_576
    /// Values in one body.
    public static let scimBodyValuesMax = 60_000
    /// Resources on a page.
    public static let scimPageMax = 200
    /// Resources on a page, if the client names no number.
    public static let scimPageDefault = 100
    /// How long a cursor counts, in seconds.
    public static let scimCursorSeconds: Int64 = 3_600
    /// Operations of a bulk request.
    public static let scimBulkOperationsMax = 1_000
    /// Operations of one PATCH.
    public static let scimPatchOperationsMax = 1_000
    /// Members of a group.
    public static let scimGroupMembersMax = 20_000
    /// Bytes of a filter.
    public static let scimFilterBytesMax = 1_024
    /// Comparisons in a filter.
    public static let scimFilterTermsMax = 32
    /// How deep a filter is nested.
    public static let scimFilterDepthMax = 8
    /// Bytes of one text of a resource.
    public static let scimTextBytesMax = 65_536
    /// Bytes of a resource without its members.
    public static let scimResourceBytesMax = 262_144
    /// Bytes of a text that filters and orders see; the rest is not looked at.
    public static let scimIndexedBytesMax = 1_024
    /// Values of a resource that filters see.
    public static let scimIndexedValuesMax = 1_000
    /// How often the last use of a token is written, in seconds.
    public static let scimUseSeconds: Int64 = 60
    /// Domains of a tenant.
    public static let domainsOfTenantMax = 100
}
