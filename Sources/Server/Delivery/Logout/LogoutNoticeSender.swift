public import KeyturnBase
internal import KeyturnWire
internal import Model
public import OAuth
internal import Synchronization

/// Delivers the logout notices of the queue, beside the requests; any number of couriers may work on one queue.
///
/// A notice is claimed under a lease and tried once; then it is removed, or given back with the time of its next attempt.
/// If the process ends in between, the notice is sent again when the lease is over: a relying party that ends a session
/// twice loses nothing.
public struct LogoutNoticeSender: Sendable {
    /// What the operator should know.
    public enum Event: Sendable {
        case sent(clientID: String)
        case postponed(clientID: String, reason: String, seconds: Int64)
        case dropped(clientID: String, Dropped)
        /// The queue did not answer; it will be asked again.
        case queueFailed(any Error)
    }

    /// Why a notice was given up.
    public enum Dropped: Hashable, Sendable {
        /// The address of the relying party lies in a private network, and nothing allows that.
        case privateAddress
        /// The relying party answered that it will not take it.
        case refused(reason: String)
        /// The relying party did not take it in time.
        case expired(reason: String)
        /// The client is gone, or takes no notices any more.
        case unwanted
    }

    private let notices: LogoutNotices
    private let transport: any LogoutTransport
    private let ambient: Ambient
    private let workload = Workload(max: Limits.logoutNoticesInFlightMax)
    private let underWay = Receivers()
    private let report: @Sendable (Event) -> Void
    /// What became of notices.
    public let counters = LogoutCounters()

    /// - Parameter report: called for everything worth a log line.
    public init(
        notices: LogoutNotices, transport: any LogoutTransport, ambient: Ambient,
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.notices = notices
        self.transport = transport
        self.ambient = ambient
        self.report = report
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

    private var loop: DeliveryLoop<LogoutNoticeClaim> {
        DeliveryLoop(
            workload: workload, pollEvery: DeliveryLimits.noticePollPause, arrivals: notices.arrivals,
            wake: notices.wake,
            claim: { free throws(StoreError) in
                let now = ambient.now()
                guard try await notices.store.hasDue(at: now) else { return [] }
                let claims = try await notices.store.claim(
                    limit: free, ofClientMax: Limits.logoutNoticesOfReceiverMax, except: underWay.busy,
                    leaseSeconds: Limits.logoutNoticeLeaseSeconds, at: now)
                for claim in claims { underWay.begin(claim.notice.clientID) }
                return claims
            }, deliver: deliver, queueFailed: { report(.queueFailed($0)) })
    }

    private enum Verdict {
        case sent
        case again(at: UnixTime, reason: String)
        case drop(Dropped)
    }

    private func deliver(_ claim: LogoutNoticeClaim) async {
        let verdict = await verdict(claim)
        underWay.end(claim.notice.clientID)
        do throws(StoreError) {
            try await settle(claim, verdict)
        } catch {
            report(.queueFailed(error))
        }
    }

    private func verdict(_ claim: LogoutNoticeClaim) async -> Verdict {
        let expiresAt = claim.notice.createdAt + Limits.logoutNoticeSeconds
        guard ambient.now() < expiresAt else { return .drop(.expired(reason: "too old")) }
        guard claim.attempt <= Limits.messageAttemptsMax else {
            return .drop(.expired(reason: "interrupted too often"))
        }
        let outcome: DeliveryOutcome
        do throws(OAuthProblem) {
            guard let post = try notices.post(claim.notice, at: ambient.now()) else { return .drop(.unwanted) }
            switch await transport.send(post, attempt: claim.attempt) {
            case .privateAddress: return .drop(.privateAddress)
            case .answered(let answer): outcome = answer
            }
        } catch {
            outcome = .temporary(reason: "the logout token could not be signed")
        }
        if case .permanent(let reason) = outcome { return .drop(.refused(reason: reason)) }
        switch RetryRules.judge(
            outcome, attempt: claim.attempt, expiresAt: expiresAt, jitter: ambient.randomBytes(1)[0], at: ambient.now())
        {
        case .sent: return .sent
        case .again(let due, let reason): return .again(at: due, reason: reason)
        case .giveUp(let reason): return .drop(.expired(reason: reason))
        }
    }

    /// A claim that is over changes nothing any more: another courier has the notice.
    private func settle(_ claim: LogoutNoticeClaim, _ verdict: Verdict) async throws(StoreError) {
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

/// How many notices are on their way to each receiver, from this process.
private final class Receivers: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Those that get no further one now.
    var busy: Set<String> {
        counts.withLock { Set($0.filter { $0.value >= Limits.logoutNoticesOfReceiverMax }.keys) }
    }

    func begin(_ clientID: String) {
        counts.withLock { $0[clientID, default: 0] += 1 }
    }

    func end(_ clientID: String) {
        counts.withLock { counts in
            let left = (counts[clientID] ?? 1) - 1
            counts[clientID] = left > 0 ? left : nil
        }
    }
}

/// What became of logout notices in this process, for the metrics.
public final class LogoutCounters: Sendable {
    /// How often each outcome came about since the process began.
    public struct Values: Hashable, Sendable {
        /// Accepted by the relying party.
        public var sent = 0
        /// Attempts that are followed by another.
        public var postponed = 0
        /// Not sent: the address lies in a private network.
        public var privateAddress = 0
        /// Given up: the relying party refused it.
        public var refused = 0
        /// Given up: the relying party did not take it in time.
        public var expired = 0
        /// Not sent: the client is gone, or takes no notices any more.
        public var unwanted = 0

        mutating func count(_ dropped: LogoutNoticeSender.Dropped) {
            switch dropped {
            case .privateAddress: privateAddress += 1
            case .refused: refused += 1
            case .expired: expired += 1
            case .unwanted: unwanted += 1
            }
        }
    }

    private let state = Mutex(Values())

    /// All at nought.
    public init() {}

    /// What was counted so far.
    public var values: Values { state.withLock { $0 } }

    func count(_ change: (inout Values) -> Void) {
        state.withLock { change(&$0) }
    }
}
