public import KeyturnBase
public import Model

/// Sends the audit log to the programs that get it, beside the requests: in order, and at least once.
///
/// The log itself is the queue; a stream is the number of the last event that was sent. A program that is away gets
/// everything later, as long as the events are kept.
public struct AuditStreamSender: Sendable {
    /// What the operator should know.
    public enum Event: Sendable {
        /// Events were not sent, and are tried again.
        case postponed(stream: String, reason: String, seconds: Int64)
        /// A stream works again after it did not.
        case resumed(stream: String)
    }

    private let streams: [AuditStream]
    private let audit: any AuditStore
    private let positions: any AuditStreamStore
    private let ambient: Ambient
    private let report: @Sendable (Event) -> Void
    /// What became of events.
    public let counters: AuditStreamCounters

    /// - Parameter report: called for everything worth a log line.
    public init(
        _ streams: [AuditStream], stores: Stores, ambient: Ambient, report: @escaping @Sendable (Event) -> Void
    ) {
        self.streams = streams
        audit = stores.audit
        positions = stores.auditStreams
        self.ambient = ambient
        self.report = report
        counters = AuditStreamCounters(streams.map(\.name))
    }

    /// Runs until it is cancelled. What was under way then is sent again later.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for stream in streams {
                group.addTask { await follow(stream) }
            }
        }
    }

    /// Sends everything that is there, as far as programs take it.
    package func sendAll() async {
        for stream in streams {
            var claim: AuditStreamClaim?
            while await round(stream, &claim) == .sent {}
            await release(claim)
        }
    }

    /// What came of one look at a stream.
    private enum Round: Hashable {
        /// There may be more.
        case sent
        case nothingNew
        /// Another node has it.
        case elsewhere
        case failed(String)
    }

    private func follow(_ stream: AuditStream) async {
        var claim: AuditStreamClaim?
        var failures: Int64 = 0
        while !Task.isCancelled {
            let pause: Int64
            switch await round(stream, &claim) {
            case .elsewhere: pause = DeliveryLimits.auditLeaseSeconds / 4
            case .failed(let reason):
                failures += 1
                pause = self.pause(failures)
                report(.postponed(stream: stream.name, reason: reason, seconds: pause))
            case let round:
                if failures > 0 { report(.resumed(stream: stream.name)) }
                failures = 0
                pause = round == .sent ? 0 : DeliveryLimits.pollSeconds
            }
            if pause > 0 { try? await Task.sleep(for: .seconds(pause)) }
        }
        await release(claim)
        await stream.transport.close()
    }

    private func pause(_ failures: Int64) -> Int64 {
        min(RetryRules.pause(first: 1, failures, ambient.randomBytes(1)[0]), DeliveryLimits.auditPauseSecondsMax)
    }

    /// Sends the next events, if this node has the stream.
    private func round(_ stream: AuditStream, _ claim: inout AuditStreamClaim?) async -> Round {
        do throws(StoreError) {
            let head = try await audit.head()
            let now = ambient.now()
            let end = now + DeliveryLimits.auditLeaseSeconds
            if claim == nil {
                claim = try await positions.claim(stream.name, beginningAfter: head.number, until: end, at: now)
            }
            guard let held = claim else { return .elsewhere }
            counters.set(stream.name) { $0.waiting = max(0, head.number - held.number) }
            let records = try await audit.chain(
                after: held.number, through: head.number, limit: DeliveryLimits.auditBatchMax)
            let (wanted, last) = stream.batch(records)
            guard let last else {
                // Kept, unless it ends soon.
                guard held.until.seconds(since: now) < DeliveryLimits.auditLeaseSeconds / 2 else { return .nothingNew }
                claim = try await positions.advance(held, to: held.number, until: end)
                return claim == nil ? .elsewhere : .nothingNew
            }
            if let reason = await refusal(wanted, stream) { return .failed(reason) }
            claim = try await positions.advance(held, to: last, until: ambient.now() + DeliveryLimits.auditLeaseSeconds)
            guard claim != nil else { return .elsewhere }
            counters.set(stream.name) { values in
                values.sent += wanted.count
                values.waiting = max(0, head.number - last)
            }
            return .sent
        } catch {
            claim = nil
            return .failed("the database does not answer")
        }
    }

    /// Why the events were not taken; `nil`: they were.
    private func refusal(_ records: [AuditRecord], _ stream: AuditStream) async -> String? {
        guard !records.isEmpty else { return nil }
        switch await stream.transport.send(AuditBatch(stream: stream.name, records: records)) {
        case .sent: return nil
        case .temporary(let reason), .permanent(let reason), .unreachable(let reason):
            counters.set(stream.name) { $0.failures += 1 }
            return reason
        }
    }

    private func release(_ claim: AuditStreamClaim?) async {
        guard let claim else { return }
        // What is not released is free when its time is over.
        try? await positions.release(claim)
    }
}
