import KeyturnBase
import Model
import Testing

@testable import Delivery

@Suite("Retries")
struct RetryRulesTests {
    let now = UnixTime(rawValue: 1_000_000)

    private func judge(_ outcome: DeliveryOutcome, attempt: Int64 = 1, lifetime: Int64 = 86_400) -> RetryRules.Verdict {
        RetryRules.judge(outcome, attempt: attempt, expiresAt: now + lifetime, jitter: 0, at: now)
    }

    @Test func `each class has its own pause, doubled each time, an hour at most`() {
        #expect((1...4).map { RetryRules.pause(first: 5, $0, 0) } == [5, 10, 20, 40])
        #expect((1...4).map { RetryRules.pause(first: 30, $0, 0) } == [30, 60, 120, 240])
        #expect(RetryRules.pause(first: 5, 12, 0) == 3_600)
        #expect(RetryRules.pause(first: 5, .max, 0) == 3_600)
        #expect(judge(.unreachable(reason: "r")) == .again(at: now + 5, reason: "r"))
        #expect(judge(.temporary(reason: "r")) == .again(at: now + 30, reason: "r"))
    }

    @Test func `jitter takes away up to a half, and never all`() {
        for jitter in UInt8.min...UInt8.max {
            #expect((15...30).contains(RetryRules.pause(first: 30, 1, jitter)))
        }
        #expect(RetryRules.pause(first: 30, 1, 255) < 30)
        #expect(RetryRules.pause(first: 1, 1, 255) == 1)
    }

    @Test func `what is final, tried often enough, or too late is given up`() {
        #expect(judge(.permanent(reason: "no")) == .giveUp(reason: "no"))
        #expect(
            judge(.temporary(reason: "r"), attempt: Limits.messageAttemptsMax - 1) != .giveUp(reason: "r, 12 times"))
        #expect(judge(.temporary(reason: "r"), attempt: Limits.messageAttemptsMax) == .giveUp(reason: "r, 12 times"))
        #expect(judge(.temporary(reason: "r"), lifetime: 30) == .giveUp(reason: "r, until it expired"))
        #expect(judge(.temporary(reason: "r"), lifetime: 31) == .again(at: now + 30, reason: "r"))
    }
}
