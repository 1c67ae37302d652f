internal import KeyturnBase
internal import Model

/// When a message is tried again, and when it is given up.
enum RetryRules {
    enum Verdict: Hashable, Sendable {
        case sent
        case again(at: UnixTime, reason: String)
        case giveUp(reason: String)
    }

    /// - Parameters:
    ///   - attempt: how often it was tried, this time included; from 1.
    ///   - expiresAt: when the message is of no use any more.
    ///   - jitter: 0...255 of randomness: servers that failed together must not come back together.
    static func judge(
        _ outcome: DeliveryOutcome, attempt: Int64, expiresAt: UnixTime, jitter: UInt8, at now: UnixTime
    ) -> Verdict {
        switch outcome {
        case .sent: return .sent
        case .permanent(let reason): return .giveUp(reason: reason)
        case .temporary(let reason):
            return again(reason, pause(first: 30, attempt, jitter), attempt, expiresAt, now)
        case .unreachable(let reason):
            return again(reason, pause(first: 5, attempt, jitter), attempt, expiresAt, now)
        }
    }

    /// Doubles from `first` up to an hour, of which a random part of up to a half is taken away. At least a second.
    static func pause(first: Int64, _ attempt: Int64, _ jitter: UInt8) -> Int64 {
        let whole = min(first << min(max(attempt, 1) - 1, 20), 3_600)
        return max(1, whole - whole * Int64(jitter) / 512)
    }

    private static func again(
        _ reason: String, _ pause: Int64, _ attempt: Int64, _ expiresAt: UnixTime, _ now: UnixTime
    ) -> Verdict {
        guard attempt < Limits.messageAttemptsMax else { return .giveUp(reason: "\(reason), \(attempt) times") }
        let due = now + pause
        guard due < expiresAt else { return .giveUp(reason: "\(reason), until it expired") }
        return .again(at: due, reason: reason)
    }
}
