extension Limits {
    /// Fields of one audit event with their values before and after; the rest is counted.
    public static let auditChangesMax = 20
    /// A field's name, and each value, in an audit event is cut behind so many bytes: an event stays below 16 KB.
    public static let auditFieldBytesMax = 100
    public static let auditValueBytesMax = 200
    /// Random bytes in the digest of an event's values: without them likely values could be compared with it.
    public static let auditSaltBytes = 16
}
