import Identity
import KeyturnBase
import Testing

@Suite("Refresh rules: an honest retry, or a thief")
struct RefreshRulesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let presented: Int64
        let rotatedAt: Int64?
        var lateRetryAt: Int64?
        let now: Int64
        let verdict: RefreshRules.Verdict
        var testDescription: String { name }
    }

    /// The row's counter is 5 throughout.
    static let cases = [
        Case(
            name: "attack 47: the predecessor at once", presented: 4, rotatedAt: 100, now: 100,
            verdict: .repeatSuccessor),
        Case(name: "the last second of the overlap", presented: 4, rotatedAt: 100, now: 160, verdict: .repeatSuccessor),
        Case(
            name: "the second after it is forgiven once", presented: 4, rotatedAt: 100, now: 161, verdict: .forgiveOnce),
        Case(
            name: "but not twice in a day", presented: 4, rotatedAt: 100, lateRetryAt: 100, now: 100 + 86_399,
            verdict: .replay),
        Case(
            name: "and again a day later", presented: 4, rotatedAt: 100, lateRetryAt: 100, now: 100 + 86_400,
            verdict: .forgiveOnce),
        Case(name: "attack 45: two behind is a replay", presented: 3, rotatedAt: 100, now: 100, verdict: .replay),
        Case(name: "the first token long after", presented: 0, rotatedAt: 100, now: 101, verdict: .replay),
        Case(name: "a counter never issued", presented: 6, rotatedAt: 100, now: 100, verdict: .replay),
        Case(name: "a rotation that never happened", presented: 4, rotatedAt: nil, now: 100, verdict: .replay),
    ]

    @Test(arguments: cases)
    func `a token that is not the current one`(_ c: Case) {
        let row = RefreshRules.Row(
            counter: 5, rotatedAt: c.rotatedAt.map(UnixTime.init(rawValue:)),
            lateRetryAt: c.lateRetryAt.map(UnixTime.init(rawValue:)))
        #expect(RefreshRules.judge(presented: c.presented, row: row, at: UnixTime(rawValue: c.now)) == c.verdict)
    }
}
