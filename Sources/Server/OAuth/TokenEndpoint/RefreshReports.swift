package import KeyturnBase
package import Model
package import Telemetry
internal import Synchronization

/// Reports unusual refreshes: an audit event, a count for the metrics, a line for the log, and a notice to the user
/// whose session ended.
public struct RefreshReports: Sendable {
    let audit: any AuditLog
    let notices: SecurityNotices
    let clients: ClientDirectory
    public let counters = RefreshCounters()
    let metrics: ServiceMetrics
    let onEvent: @Sendable (AuditEvent) -> Void

    package init(
        audit: any AuditLog, notices: SecurityNotices, clients: ClientDirectory, metrics: ServiceMetrics,
        onEvent: @escaping @Sendable (AuditEvent) -> Void
    ) {
        self.audit = audit
        self.notices = notices
        self.clients = clients
        self.metrics = metrics
        for outcome in Renewal.outcomes { metrics.refreshes.prepare(outcome) }
        self.onEvent = onEvent
    }

    /// Counts every refresh, and reports those with a token other than the current one.
    package func report(_ renewal: Renewal, from address: NetworkAddress?, at now: UnixTime) async {
        metrics.refreshes.increment(renewal.outcome)
        switch renewal {
        case .repeated(let grant, let repetition):
            record(.refreshRepeated, grant, reason: repetition.reason, from: address, at: now)
        case .shadowed(let grant, let repetition, let isEnded):
            record(.refreshRepeated, grant, reason: repetition.reason, from: address, at: now)
            await reportShadow(of: grant, isEnded: isEnded, from: address, at: now)
        case .ahead(let grant):
            record(.refreshAhead, grant, reason: "lost_commit", from: address, at: now)
        case .wrongKey(let grant):
            record(.refreshWrongKey, grant, reason: "wrong_key", from: address, at: now)
        case .replayed(let grant):
            record(.refreshReplayed, grant, reason: Grant.EndReason.refreshReplay.rawValue, from: address, at: now)
            await notices.send(.sessionEnded(clientName: name(of: grant)), to: grant.userID, from: address, at: now)
        case .renewed, .expired, .ended, .unknown: break
        }
    }

    /// Told once a day for each grant: the store sees to it.
    private func reportShadow(
        of grant: Grant, isEnded: Bool, from address: NetworkAddress?, at now: UnixTime
    ) async {
        record(.refreshShadowed, grant, reason: isEnded ? "ended" : "told", from: address, at: now)
        if isEnded {
            record(
                .refreshShadowEnded, grant, reason: Grant.EndReason.shadowed.rawValue, from: address, at: now)
        }
        let notice =
            isEnded
            ? SecurityNotice.sessionEnded(clientName: name(of: grant))
            : SecurityNotice.sessionShadowed(clientName: name(of: grant))
        await notices.send(notice, to: grant.userID, from: address, at: now)
    }

    /// A name that a client gave itself can say anything.
    private func name(of grant: Grant) -> String? {
        clients.client(grant.clientID).flatMap { $0.isUnverified ? nil : $0.name }
    }

    private func record(
        _ kind: AuditEvent.Kind, _ grant: Grant, reason: String, from address: NetworkAddress?, at now: UnixTime
    ) {
        let event = AuditEvent(
            kind, at: now, userID: grant.userID, clientID: grant.clientID,
            sessionID: grant.sessionID ?? SessionID(of: grant.id), address: address?.text, reason: reason,
            target: grant.id.text)
        counters.count(kind, reason: reason)
        // Every event is counted; one that a client can repeat is written once a minute.
        guard audit.recordOnce(event) else { return }
        onEvent(event)
    }
}

extension Renewal {
    /// Every ``outcome``.
    fileprivate static let outcomes = [
        "renewed", "repeated", "late", "shadowed", "replayed", "wrong_key", "ahead", "expired", "ended", "unknown",
    ]

    /// A word for the metrics.
    fileprivate var outcome: String {
        switch self {
        case .renewed: "renewed"
        case .repeated(_, .prompt): "repeated"
        case .repeated: "late"
        case .shadowed: "shadowed"
        case .replayed: "replayed"
        case .wrongKey: "wrong_key"
        case .ahead: "ahead"
        case .expired: "expired"
        case .ended: "ended"
        case .unknown: "unknown"
        }
    }
}

/// Counts of unusual refreshes since the start.
public final class RefreshCounters: Sendable {
    /// The counts at one moment.
    public struct Values: Hashable, Sendable {
        /// An older token within ``RefreshRules/overlapSeconds``.
        public var repeated = 0
        /// An older token later than that, forgiven.
        public var late = 0
        /// Those of ``late`` that came from another network than the last refresh.
        public var lateElsewhere = 0
        /// Grants that ended because a spent token came back.
        public var replayed = 0
        /// Sessions whose tokens two clients use in turn.
        public var shadowed = 0
        /// Bound tokens that came without their key.
        public var wrongKey = 0
        /// Tokens that were newer than their rows: the database had lost commits.
        public var ahead = 0
    }

    private let state = Mutex(Values())

    init() {}

    public var values: Values { state.withLock { $0 } }

    fileprivate func count(_ kind: AuditEvent.Kind, reason: String) {
        state.withLock { values in
            switch kind {
            case .refreshReplayed: values.replayed += 1
            case .refreshShadowed: values.shadowed += 1
            case .refreshShadowEnded: break
            case .refreshWrongKey: values.wrongKey += 1
            case .refreshAhead: values.ahead += 1
            case _ where reason == Renewal.Repetition.prompt.reason: values.repeated += 1
            default:
                values.late += 1
                if reason == Renewal.Repetition.lateElsewhere.reason { values.lateElsewhere += 1 }
            }
        }
    }
}

extension Renewal.Repetition {
    /// The reason in the audit event.
    fileprivate var reason: String {
        switch self {
        case .prompt: "overlap"
        case .late: "late"
        case .lateElsewhere: "late_elsewhere"
        }
    }
}
