public import KeyturnBase
public import KeyturnWire
public import Model

/// Sends what waits in the queue, beside the requests; any number of couriers may work on one queue.
///
/// A message is claimed under a lease, tried once, and then ended, or given back with the time of its next try. If the
/// process dies on the way, also between the other side's acceptance and our note of it, the lease runs out and the
/// message is sent **again, under the same `Message-ID`**: a code that comes twice does no harm, one that never comes
/// locks its user out. A claim counts before anything is sent, so a message that kills its courier is given up too.
public struct QueuedMessageSender: Sendable {
    /// What the operator should know.
    public enum Event: Sendable {
        case sent(MessageKind, DeliveryMethod)
        case postponed(MessageKind, DeliveryMethod, reason: String, seconds: Int64)
        case dead(MessageKind, DeliveryMethod, reason: String)
        /// The queue did not answer; it will be asked again.
        /// It asked for a template that is not there, and was made from other words.
        case templateMissing(MessageKind, DeliveryMethod)
        case queueFailed(any Error)
    }

    private let queue: MessageQueue
    private let renderer: MessageRenderer
    private let transports: [DeliveryMethod: any MessageTransport]
    private let keepsContent: Bool
    private let ambient: Ambient
    private let work = Workload(max: Limits.messagesInFlightMax)
    private let report: @Sendable (Event) -> Void
    /// What became of messages.
    public let counters = DeliveryCounters()

    /// - Parameters:
    ///   - transports: who takes the messages of a channel.
    ///   - keepsContent: for the outbox: what was sent stays readable, and a channel without transport counts as
    ///     delivered.
    ///   - report: called for everything worth a log line.
    public init(
        queue: MessageQueue, renderer: MessageRenderer, transports: [DeliveryMethod: any MessageTransport],
        keepsContent: Bool, ambient: Ambient, report: @escaping @Sendable (Event) -> Void
    ) {
        self.queue = queue
        self.renderer = renderer
        self.transports = transports
        self.keepsContent = keepsContent
        self.ambient = ambient
        self.report = report
    }

    /// Runs until ``stop()``, then finishes what is on its way. Cancelling breaks deliveries off; they are tried again
    /// when their leases are over.
    public func run() async {
        await loop.run()
    }

    /// Claims nothing more.
    public func stop() {
        loop.stop()
    }

    /// Sends everything that is due now, and returns how many messages that were; for tests and commands.
    @discardableResult
    public func deliverDue() async -> Int {
        await loop.deliverDue()
    }

    private var loop: DeliveryLoop<MessageClaim> {
        DeliveryLoop(
            workload: work, arrivals: queue.arrivals, wake: queue.wake,
            claim: { free throws(StoreError) in
                let now = ambient.now()
                guard try await queue.store.hasDue(at: now) else { return [] }
                return try await queue.store.claim(limit: free, leaseSeconds: Limits.messageLeaseSeconds, at: now)
            }, deliver: deliver, queueFailed: { report(.queueFailed($0)) })
    }

    private func deliver(_ claim: MessageClaim) async {
        do throws(StoreError) {
            try await settle(claim, await verdict(claim))
        } catch {
            report(.queueFailed(error))
        }
    }

    /// `nil` for a decoy.
    private func verdict(_ claim: MessageClaim) async -> RetryRules.Verdict? {
        let row = claim.message
        let now = ambient.now()
        guard let message = queue.open(row) else {
            return .giveUp(reason: "sealed under a secret that this server does not have")
        }
        guard !row.isDecoy else { return nil }
        guard now < row.expiresAt else { return .giveUp(reason: "expired") }
        guard claim.attempt <= Limits.messageAttemptsMax else { return .giveUp(reason: "interrupted too often") }
        guard let transport = transports[row.channel] else {
            return keepsContent ? .sent : .giveUp(reason: "nothing is configured that sends \(row.channel.rawValue)")
        }
        if renderer.lacksTemplate(of: message) { report(.templateMissing(row.kind, row.channel)) }
        let outcome = await transport.send(renderer.render(message, id: row.id, createdAt: row.createdAt))
        return RetryRules.judge(
            outcome, attempt: claim.attempt, expiresAt: row.expiresAt, jitter: ambient.randomBytes(1)[0],
            at: ambient.now())
    }

    /// If the claim is over, another process has the message, and this result does not count.
    private func settle(_ claim: MessageClaim, _ verdict: RetryRules.Verdict?) async throws(StoreError) {
        let (kind, channel) = (claim.message.kind, claim.message.channel)
        let now = ambient.now()
        switch verdict {
        case nil:
            let isOurs = try await queue.store.finish(claim, .dropped, keepsContent: false, at: now)
            if isOurs { counters.count { $0.dropped += 1 } }
        case .sent:
            guard try await queue.store.finish(claim, .sent, keepsContent: keepsContent, at: now) else { return }
            counters.count { $0.sent += 1 }
            report(.sent(kind, channel))
        case .giveUp(let reason):
            let isOurs = try await queue.store.finish(claim, .dead(reason: reason), keepsContent: keepsContent, at: now)
            guard isOurs else { return }
            counters.count { $0.dead += 1 }
            report(.dead(kind, channel, reason: reason))
        case .again(let due, let reason):
            guard try await queue.store.postpone(claim, until: due, reason: reason) else { return }
            counters.count { $0.postponed += 1 }
            report(.postponed(kind, channel, reason: reason, seconds: due.seconds(since: now)))
        }
    }
}
