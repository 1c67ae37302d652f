import KeyturnBase
import Model
import Testing

@Suite("Refresh rules: an honest retry, or a thief")
struct RefreshRulesTests {
    /// A rotation at `time`, which superseded the token of `counter`.
    struct Rotated: Sendable {
        let time: Int64
        let counter: Int64
        var rotation: RefreshRules.Rotation { .init(time: UnixTime(rawValue: time), counter: counter) }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let presented: Int64
        var rotations = [Rotated(time: 100, counter: 4)]
        var late: Rotated?
        var lateRepetitions: Int64 = 0
        let now: Int64
        let verdict: RefreshRules.Verdict
        var testDescription: String { name }
    }

    /// The row's counter is 5 throughout: the token of 4 is the predecessor of the current one.
    static let overlap = [
        Case(name: "attack 47: the predecessor at once", presented: 4, now: 100, verdict: .repeatSuccessor),
        Case(name: "attack 47: the last second of the overlap", presented: 4, now: 160, verdict: .repeatSuccessor),
        Case(
            name: "attack 47: three rotations old, within the minute", presented: 2,
            rotations: [.init(time: 90, counter: 4), .init(time: 80, counter: 3), .init(time: 70, counter: 2)],
            now: 130, verdict: .repeatSuccessor),
        Case(
            name: "attack 45: the same, a second later", presented: 2,
            rotations: [.init(time: 90, counter: 4), .init(time: 80, counter: 3), .init(time: 70, counter: 2)],
            now: 131, verdict: .replay),
        Case(
            name: "all that were superseded in one second share an entry", presented: 3,
            rotations: [.init(time: 90, counter: 1)], now: 150, verdict: .repeatSuccessor),
        Case(
            name: "attack 45: older than the oldest entry", presented: 0, rotations: [.init(time: 90, counter: 1)],
            now: 91, verdict: .replay),
        Case(name: "newer than a row that lost its last commit", presented: 6, now: 100, verdict: .ahead),
        Case(name: "newer than the row of an old backup", presented: 900, now: 100, verdict: .ahead),
        Case(name: "a rotation that never happened", presented: 4, rotations: [], now: 100, verdict: .replay),
    ]
    static let late = [
        Case(
            name: "attack 47: the second after the overlap is forgiven", presented: 4, now: 161, verdict: .forgiveLate),
        Case(
            name: "and repeated for a minute, for that answer may be lost as well", presented: 4,
            late: .init(time: 200, counter: 5), lateRepetitions: 1, now: 260, verdict: .repeatSuccessor),
        Case(
            name: "attack 45: but not forgiven again, whenever that is", presented: 4,
            late: .init(time: 200, counter: 5), lateRepetitions: 1, now: 261, verdict: .replay),
        Case(
            name: "attack 45: a day later neither", presented: 4, late: .init(time: 200, counter: 5),
            lateRepetitions: 1, now: 200 + 86_400, verdict: .replay),
        Case(
            name: "attack 45: the rotation before was forgiven late", presented: 4, late: .init(time: 90, counter: 4),
            lateRepetitions: 1, now: 200, verdict: .replay),
        Case(
            name: "attack 47: one was not, and so this one is", presented: 4, late: .init(time: 80, counter: 3),
            lateRepetitions: 2, now: 200, verdict: .forgiveLate),
        Case(
            name: "attack 45: three were forgiven in the life of the grant", presented: 4,
            late: .init(time: 70, counter: 2), lateRepetitions: 3, now: 200, verdict: .replay),
        Case(
            name: "attack 45: two behind and late: the successor was in use", presented: 3,
            rotations: [.init(time: 100, counter: 4), .init(time: 90, counter: 3)], now: 161, verdict: .replay),
    ]

    @Test(arguments: overlap + late)
    func `a token that is not the current one`(_ c: Case) {
        let row = RefreshRules.Row(
            counter: 5, rotations: c.rotations.map(\.rotation), lateRepetition: c.late?.rotation,
            lateRepetitions: c.lateRepetitions)
        #expect(RefreshRules.judge(presented: c.presented, row: row, at: UnixTime(rawValue: c.now)) == c.verdict)
    }
}
