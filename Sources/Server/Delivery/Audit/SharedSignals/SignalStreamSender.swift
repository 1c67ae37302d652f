public import KeyturnBase
internal import KeyturnWire
internal import Model
public import OAuth

/// Pushes the streams that receivers registered (RFC 8935), beside the requests: in order, and at least once. Several
/// servers share the streams; each is pushed by one of them at a time.
public struct SignalStreamSender: Sendable {
    private let streams: SignalStreams
    private let allowsPrivateAddresses: Bool
    private let ambient: Ambient
    private let report: @Sendable (AuditStreamSender.Event) -> Void
    /// What became of events, for each client together.
    public let counters = AuditStreamCounters([])

    /// - Parameters:
    ///   - issuer: a server on a loopback address may push into its own network.
    ///   - report: called for everything worth a log line.
    public init(
        _ streams: SignalStreams, issuer: String, ambient: Ambient,
        report: @escaping @Sendable (AuditStreamSender.Event) -> Void
    ) {
        self.streams = streams
        self.ambient = ambient
        self.report = report
        allowsPrivateAddresses = PrivateNetworks.containHost(of: issuer)
    }

    /// Runs until it is cancelled. What was under way then is sent again later.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            while !Task.isCancelled {
                // One receiver that answers slowly must not hold up the other ones.
                if running == DeliveryLimits.signalStreamsAtOnce, await group.next() != nil {
                    running -= 1
                } else if let claim = await claim() {
                    group.addTask { await deliver(claim) }
                    running += 1
                } else {
                    try? await Task.sleep(for: .seconds(DeliveryLimits.pollSeconds))
                }
            }
        }
    }

    /// Pushes everything that is due now.
    package func pushAll() async {
        while let claim = await claim() { await deliver(claim) }
    }

    /// A stream that is due; `nil`: none is, or the database does not answer.
    private func claim() async -> SignalStreamClaim? {
        try? await streams.claim(until: ambient.now() + DeliveryLimits.auditLeaseSeconds)
    }

    private func deliver(_ claim: SignalStreamClaim) async {
        let turn = await push(claim, by: ambient.now() + DeliveryLimits.signalTurnSeconds)
        let failures = turn.reason == nil ? 0 : claim.stream.failures + 1
        let pause = turn.reason == nil ? 0 : self.pause(failures)
        // What is not noted is pushed again when the lease ends.
        let isNoted = try? await streams.settle(
            claim, to: turn.number, isVerified: turn.isVerified, due: ambient.now() + pause, failures: failures)
        count(turn, of: claim.stream.clientID)
        let name = "\(claim.stream.clientID)/\(claim.stream.id)"
        if let reason = turn.reason {
            report(.postponed(stream: name, reason: reason, seconds: pause))
        } else if claim.stream.failures > 0, isNoted == true {
            report(.resumed(stream: name))
        }
    }

    private func count(_ turn: Turn, of clientID: String) {
        guard turn.sent > 0 || turn.reason != nil else { return }
        counters.set(clientID) { values in
            values.sent += turn.sent
            values.failures += turn.reason == nil ? 0 : 1
        }
    }

    /// What came of one stream.
    private struct Turn {
        var number: Int64
        var isVerified = false
        /// Tokens that were taken.
        var sent = 0
        /// Why it ended early; `nil`: it did not.
        var reason: String?
    }

    private func push(_ claim: SignalStreamClaim, by end: UnixTime) async -> Turn {
        let stream = claim.stream
        var turn = Turn(number: stream.number)
        do {
            if let token = try streams.verificationToken(of: stream) {
                turn.reason = await refusal(token, claim)
                guard turn.reason == nil else { return turn }
                turn.isVerified = true
                turn.sent += 1
            }
            let page = try await streams.page(of: stream)
            turn.number = page.lead
            for entry in page.entries {
                guard ambient.now() < end else { return turn }
                if !stream.taken.contains(entry.id) {
                    turn.reason = await refusal(try streams.token(entry, of: stream), claim)
                    guard turn.reason == nil else { return turn }
                    turn.sent += 1
                }
                turn.number = entry.number
            }
            turn.number = page.end
        } catch {
            turn.reason = error is StoreError ? "the database does not answer" : "there is no signing key yet"
        }
        return turn
    }

    private static let noTarget = "the client lost its scope for streams, or the server the secret of its header"

    /// Why a token was not taken; `nil`: it was.
    private func refusal(_ token: String, _ claim: SignalStreamClaim) async -> String? {
        guard let target = streams.target(of: claim.stream) else { return Self.noTarget }
        let outcome = await ClientPost(
            uri: target.address, contentType: "application/secevent+jwt",
            authorization: target.authorization?.exposed(), accept: "application/json", body: Array(token.utf8),
            allowsPrivateAddress: allowsPrivateAddresses || target.allowsPrivateAddress
        ).send(attempt: claim.stream.failures + 1) { status in
            (200...299).contains(status) ? .sent : .temporary(reason: "answered \(status)")
        }
        switch outcome {
        case .privateAddress: return "the address lies in a private network"
        case .answered(.sent): return nil
        case .answered(.temporary(let reason)), .answered(.permanent(let reason)), .answered(.unreachable(let reason)):
            return reason
        }
    }

    private func pause(_ failures: Int64) -> Int64 {
        min(RetryRules.pause(first: 1, failures, ambient.randomBytes(1)[0]), DeliveryLimits.signalPauseSecondsMax)
    }
}
