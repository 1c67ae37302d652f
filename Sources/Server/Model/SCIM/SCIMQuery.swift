public import KeyturnBase

/// A search of a tenant's resources.
public struct SCIMQuery: Hashable, Sendable {
    public var tenantID: String
    public var kind: SCIMRecord.Kind
    /// `nil`: all.
    public var condition: SCIMCondition?
    /// The path to order by (``SCIMContent/Value/path``); `nil`: the order of creation.
    public var sortPath: String?
    public var isDescending = false
    /// Only those that were created after the one of this number.
    public var after: Int64 = 0
    /// How many are skipped.
    public var offset: Int64 = 0
    /// 0 to ``Limits/scimPageMax``.
    public var limit = Limits.scimPageDefault

    public init(tenantID: String, kind: SCIMRecord.Kind, condition: SCIMCondition? = nil) {
        self.tenantID = tenantID
        self.kind = kind
        self.condition = condition
    }
}

/// A filter, resolved to what is kept (RFC 7644 §3.4.2.2).
public indirect enum SCIMCondition: Hashable, Sendable {
    /// How a text is compared.
    public enum Match: Hashable, Sendable {
        case equal, contains, startsWith, endsWith, greater, greaterOrEqual, less, lessOrEqual
        /// There is any value.
        case present
    }

    /// A moment of the resource itself.
    public enum Moment: Hashable, Sendable {
        case created, lastModified
    }

    case all([SCIMCondition])
    case any([SCIMCondition])
    case not(SCIMCondition)
    /// Any value at the path matches; the text is in lower case, unless case matters there.
    case value(path: String, Match, String)
    /// One element of the attribute meets the whole condition, which consists of values below this attribute.
    case element(attribute: String, SCIMCondition)
    /// A moment, in seconds.
    case moment(Moment, Match, UnixTime)
    /// The resource's own identifier.
    case id(Match, String)
    /// A group with this user, or a user in this group.
    case linked(String)
    /// Has members, or groups.
    case anyLinked
}
