extension Limits {
    /// Fields of one audit event with their values before and after; the rest is counted.
    public static let auditChangesMax = 20
    /// A field's name, and each value, in an audit event is cut behind so many bytes: an event stays below 16 KB.
    public static let auditFieldBytesMax = 100
    public static let auditValueBytesMax = 200
    /// Random bytes in the digest of an event's values: without them likely values could be compared with it.
    public static let auditSaltBytes = 16
    /// Kinds of repeated audit events that are remembered within a minute, so that each is written twice at most.
    public static let auditRepeatsMax = 4_096
    /// Audit events waiting to be written: what a second brings, or a minute without the database. Beyond it events are
    /// counted and dropped, refusals first.
    public static let auditBacklogMax = 10_000
    /// Of those, refusals, which anybody can make: half of the room is for other events, whatever comes.
    static let auditRefusalsMax = 5_000
    /// Refusals that give way at once, when other events want all of the room: each time all events are looked at.
    static let auditRefusalsDroppedAtOnce = 500
    /// An audit event is kept for so long, unless an operator says otherwise: a year covers most obligations to keep them.
    public static let auditRetentionDays = 365
    /// Audit events in one answer.
    public static let auditOfPageMax = 1_000
}
