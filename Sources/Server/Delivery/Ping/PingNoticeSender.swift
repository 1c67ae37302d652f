public import KeyturnBase
internal import KeyturnWire
internal import Model
public import OAuth

/// Delivers notifications of decisions to clients in ping mode (OpenID Connect CIBA Core §10.2), beside the requests; any
/// number of them may work on one queue.
///
/// A notice is claimed under a lease and tried once; then it is removed, or given back with the time of its next attempt.
/// If the process ends in between, the notice is sent again when the lease is over: a client that asks twice gets its
/// answer once.
public struct PingNoticeSender: Sendable {
    /// What the operator should know.
    public enum Event: Sendable {
        case sent(clientID: String)
        case postponed(clientID: String, reason: String, seconds: Int64)
        case dropped(clientID: String, LogoutNoticeSender.Dropped)
        /// The queue did not answer; it will be asked again.
        case queueFailed(any Error)
    }

    private let notices: PingNotices
    private let allowsPrivateAddresses: Bool
    private let ambient: Ambient
    private let workload = Workload(max: Limits.pingNoticesInFlightMax)
    private let report: @Sendable (Event) -> Void
    /// What became of notices.
    public let counters = LogoutCounters()

    /// - Parameters:
    ///   - issuer: a server on a loopback address may notify clients in its own network.
    ///   - report: called for everything worth a log line.
    public init(
        notices: PingNotices, issuer: String, ambient: Ambient, report: @escaping @Sendable (Event) -> Void
    ) {
        self.notices = notices
        self.ambient = ambient
        self.report = report
        allowsPrivateAddresses = PrivateNetworks.containHost(of: issuer)
    }

    /// Runs until ``stop()``, then finishes what is on its way.
    public func run() async {
        await loop.run()
    }

    /// Claims nothing more.
    public func stop() {
        loop.stop()
    }

    /// Delivers everything that is due now, and returns how many notices that were.
    @discardableResult
    public func deliverDue() async -> Int {
        await loop.deliverDue()
    }

    private var loop: DeliveryLoop<PingNoticeClaim> {
        DeliveryLoop(
            workload: workload, arrivals: notices.arrivals, wake: notices.wake,
            claim: { free throws(StoreError) in
                let now = ambient.now()
                guard try await notices.store.hasDue(at: now) else { return [] }
                return try await notices.store.claim(limit: free, leaseSeconds: Limits.pingNoticeLeaseSeconds, at: now)
            }, deliver: deliver, queueFailed: { report(.queueFailed($0)) })
    }

    private func deliver(_ claim: PingNoticeClaim) async {
        let verdict = await verdict(claim)
        do throws(StoreError) {
            try await settle(claim, verdict)
        } catch {
            report(.queueFailed(error))
        }
    }

    private enum Verdict {
        case sent
        case again(at: UnixTime, reason: String)
        case drop(LogoutNoticeSender.Dropped)
    }

    private func verdict(_ claim: PingNoticeClaim) async -> Verdict {
        let expiresAt = claim.notice.expiresAt
        guard ambient.now() < expiresAt else { return .drop(.expired(reason: "the request has expired")) }
        guard claim.attempt <= Limits.messageAttemptsMax else {
            return .drop(.expired(reason: "interrupted too often"))
        }
        guard let post = notices.post(claim.notice) else { return .drop(.unwanted) }
        let answer = await ClientPost(
            uri: post.uri, contentType: "application/json", authorization: "Bearer \(post.token.exposed())",
            body: post.body, allowsPrivateAddress: allowsPrivateAddresses || post.allowsPrivateAddress
        ).send(attempt: claim.attempt, judge: Self.outcome)
        guard case .answered(let outcome) = answer else { return .drop(.privateAddress) }
        if case .permanent(let reason) = outcome { return .drop(.refused(reason: reason)) }
        switch RetryRules.judge(
            outcome, attempt: claim.attempt, expiresAt: expiresAt, jitter: ambient.randomBytes(1)[0], at: ambient.now())
        {
        case .sent: return .sent
        case .again(let due, let reason): return .again(at: due, reason: reason)
        case .giveUp(let reason): return .drop(.expired(reason: reason))
        }
    }

    /// The client answers 204; 200 is accepted, and redirects are not followed (OpenID Connect CIBA Core §10.2). 400, 401,
    /// 403, 404, 405, 410 and 422 do not become better within the life of a request.
    static func outcome(_ status: Int) -> DeliveryOutcome {
        switch status {
        case 200...299: .sent
        case 300...399, 400, 401, 403, 404, 405, 410, 422: .permanent(reason: "status \(status)")
        default: .temporary(reason: "status \(status)")
        }
    }

    /// A claim that is over changes nothing any more: another process has the notice.
    private func settle(_ claim: PingNoticeClaim, _ verdict: Verdict) async throws(StoreError) {
        let clientID = claim.notice.clientID
        switch verdict {
        case .sent:
            guard try await notices.store.remove(claim) else { return }
            counters.count { $0.sent += 1 }
            report(.sent(clientID: clientID))
        case .again(let due, let reason):
            guard try await notices.store.postpone(claim, until: due) else { return }
            counters.count { $0.postponed += 1 }
            report(.postponed(clientID: clientID, reason: reason, seconds: due.seconds(since: ambient.now())))
        case .drop(let dropped):
            guard try await notices.store.remove(claim) else { return }
            counters.count { $0.count(dropped) }
            report(.dropped(clientID: clientID, dropped))
        }
    }
}
