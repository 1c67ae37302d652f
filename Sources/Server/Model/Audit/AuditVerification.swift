internal import KeyturnBase

/// Follows the chain of the audit log from its beginning to its end, and notes where it does not hold.
public struct AuditVerification: Sendable {
    /// Where the chain does not hold.
    public enum Finding: Hashable, Sendable {
        /// The event does not continue the one before: one of the two was changed, or one in between was removed or added.
        case broken(number: Int64, previous: Int64)
        /// The event is in no chain, and stands behind events that are.
        case unchained(number: Int64)
        /// The newest event was changed, or events behind it were removed.
        case endMissing(number: Int64)
        /// The server signed another digest for the event, or the event is gone.
        case notAsSigned(number: Int64)
        /// A checkpoint that no secret at hand made.
        case forgedCheckpoint(number: Int64)
        /// The values before and after are not those that the event was written with.
        case changesAltered(number: Int64)
        /// The values are gone, of an event that is about no user: no erasure removed them.
        case changesMissing(number: Int64)
        /// The digest that was noted elsewhere belongs to no event.
        case digestMissing
    }

    /// Events that may be missing beside others of the same time, after the oldest ones were removed by months.
    private static let monthsEdgeSeconds: Int64 = 3_600

    /// Events in the chain.
    public private(set) var events = 0
    /// Events before the chain, of an earlier release.
    public private(set) var earlier = 0
    /// The first event in the chain, and whether the chain begins with it. `nil`: there is none.
    public private(set) var first: (number: Int64, isBeginning: Bool)?
    /// Events whose values were removed with their users.
    public private(set) var erased = 0
    /// Checkpoints that agree.
    public private(set) var confirmed = 0
    /// The newest checkpoint that agrees.
    public private(set) var lastConfirmed: AuditCheckpoint?
    public private(set) var findings: [Finding] = []

    private let secrets: ServerSecrets?
    private var checkpoints: ArraySlice<AuditCheckpoint>
    private var wanted: [UInt8]?
    private var last: (number: Int64, at: UnixTime, digest: [UInt8])?
    private var firstAt: UnixTime?

    /// - Parameters:
    ///   - checkpoints: by number.
    ///   - secrets: `nil`: checkpoints are compared, and whether the server made them stays unknown.
    ///   - digest: One that was noted elsewhere, and must be among the events.
    public init(checkpoints: [AuditCheckpoint], secrets: ServerSecrets?, digest: [UInt8]? = nil) {
        self.checkpoints = checkpoints[...]
        self.secrets = secrets
        wanted = digest
    }

    /// The next event by number.
    public mutating func check(_ record: AuditRecord) {
        noteMissing(before: record.number)
        if let previous = record.previous {
            follow(record, previous)
        } else if last == nil {
            earlier += 1
        } else {
            findings.append(.unchained(number: record.number))
        }
        // Also of an event in no chain: what was signed is the chain's end beside it.
        while let checkpoint = checkpoints.first, checkpoint.number == record.number {
            checkpoints.removeFirst()
            compare(checkpoint, last?.digest ?? AuditChain.beginning)
        }
    }

    private mutating func follow(_ record: AuditRecord, _ previous: [UInt8]) {
        if let last {
            if last.digest != previous, !isAtEdge(record) {
                findings.append(.broken(number: record.number, previous: last.number))
            }
        } else {
            first = (record.number, previous == AuditChain.beginning)
            firstAt = record.event.at
        }
        events += 1
        compareChanges(record)
        let digest = AuditChain.digest(of: record.event, changes: record.changesDigest, after: previous)
        last = (record.number, record.event.at, digest)
        if wanted == digest { wanted = nil }
    }

    /// After the last event up to `head`.
    public mutating func finish(_ head: AuditHead) {
        noteMissing(before: .max)
        if let last {
            if last.digest != head.digest { findings.append(.endMissing(number: last.number)) }
        } else if head.digest != AuditChain.beginning, head.number > 0 {
            findings.append(.endMissing(number: head.number))
        }
        if wanted != nil { findings.append(.digestMissing) }
    }

    private mutating func compareChanges(_ record: AuditRecord) {
        if let changes = record.event.changes {
            if changes.digest != record.changesDigest { findings.append(.changesAltered(number: record.number)) }
        } else if record.changesDigest != nil {
            if record.event.userID == nil { findings.append(.changesMissing(number: record.number)) }
            erased += record.event.userID == nil ? 0 : 1
        }
    }

    private mutating func compare(_ checkpoint: AuditCheckpoint, _ digest: [UInt8]) {
        if let secrets, !checkpoint.isGenuine(secrets) {
            findings.append(.forgedCheckpoint(number: checkpoint.number))
        } else if checkpoint.digest != digest {
            findings.append(.notAsSigned(number: checkpoint.number))
        } else {
            confirmed += 1
            lastConfirmed = checkpoint
        }
    }

    /// Checkpoints of events that are gone: where the clean-up removes events, their checkpoints go too.
    private mutating func noteMissing(before number: Int64) {
        while let checkpoint = checkpoints.first, checkpoint.number < number {
            checkpoints.removeFirst()
            findings.append(.notAsSigned(number: checkpoint.number))
        }
    }

    /// Whether the log begins here, with events of a month that was removed between those of the next one.
    private func isAtEdge(_ record: AuditRecord) -> Bool {
        guard let first, !first.isBeginning, let firstAt else { return false }
        return abs(record.event.at.seconds(since: firstAt)) <= Self.monthsEdgeSeconds
    }
}
