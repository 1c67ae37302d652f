import KeyturnTesting
import Testing

@testable import Keyturn

/// The client's machine and procedures, and the server's rules, as they are, in a small world in which everything that
/// can go wrong does, in every order.
@Suite("Every way a session can go, explored")
struct SessionModelTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var isBound = false
        var processes = 2
        let budget: Budget
        var testDescription: String { name + (isBound ? ", bound" : "") }

        /// The same with a bound grant.
        var bound: Case { Case(name: name, isBound: true, processes: processes, budget: budget) }
    }

    static let plain = [
        Case(name: "two processes, a lossy network", budget: Budget(ticks: 2, drops: 2, duplicates: 1)),
        Case(name: "kills at every step", budget: Budget(ticks: 2, drops: 1, crashes: 2)),
        Case(name: "a stopped lock holder", budget: Budget(ticks: 2, timeouts: 1, impatience: 2)),
        Case(name: "full disks", budget: Budget(ticks: 2, crashes: 1, fullDisks: 2)),
        Case(name: "signing out meanwhile", budget: Budget(ticks: 1, drops: 1, impatience: 1, signOuts: 1)),
        Case(
            name: "signing out by force meanwhile",
            budget: Budget(ticks: 1, timeouts: 1, impatience: 1, forcedSignOuts: 1)),
        Case(
            name: "somebody else signs in meanwhile", budget: Budget(ticks: 1, timeouts: 1, impatience: 1, signIns: 1)),
        Case(name: "a thief", budget: Budget(ticks: 2, drops: 1, thefts: 1, thiefUses: 3)),
    ]

    @Test(.serialized, arguments: plain + plain.map(\.bound))
    func `no session is lost, and no theft goes unnoticed`(_ c: Case) {
        let clock = ContinuousClock.now
        let report = Self.explore(c)
        print("explored \(report.stateCount) states: \(c.testDescription), \(ContinuousClock.now - clock)")
        #expect(report.violation == nil, "\(Self.story(report))")
        #expect(report.isComplete)
    }

    struct Planted: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let found: String
        let budget: Budget
        var testDescription: String { "\(fault)" }
    }

    static let planted = [
        Planted(
            fault: .noReread, found: "signed out for no reason",
            budget: Budget(ticks: 3, timeouts: 1, impatience: 1)),
        Planted(
            fault: .noGenerationCheck, found: "a late answer touched another session",
            budget: Budget(ticks: 1, impatience: 1, signIns: 1)),
        Planted(
            fault: .noGuardedUpdate, found: "two successors are alive",
            budget: Budget(ticks: 3, timeouts: 2, impatience: 2)),
        Planted(
            fault: .noDeadline, found: "a renewal removed a session that stands",
            budget: Budget(ticks: 3, impatience: 2)),
        Planted(fault: .noLock, found: "two processes ask for new tokens at once", budget: Budget(ticks: 1)),
        Planted(
            fault: .wideWindow, found: "a second conflicting use went unnoticed",
            budget: Budget(ticks: 4, thefts: 1, thiefUses: 2)),
    ]

    @Test(.serialized, arguments: planted)
    func `a planted mistake is found`(_ planted: Planted) {
        let c = Case(name: "planted", budget: planted.budget)
        let report = Self.explore(c, planted.fault)
        #expect(report.violation?.text.contains(planted.found) == true, "\(Self.story(report))")
    }

    private static func explore(_ c: Case, _ fault: Fault = .none) -> ModelChecker<World>.Report {
        let world = World(isBound: c.isBound, processCount: c.processes, budget: c.budget, fault: fault)
        return ModelChecker(next: World.next, violation: World.violation).explore(from: world, bound: 1_500_000)
    }

    private static func story(_ report: ModelChecker<World>.Report) -> String {
        guard let (text, steps) = report.violation else { return "nothing in \(report.stateCount) states" }
        return "\(text), after \(report.stateCount) states:\n" + steps.joined(separator: "\n")
    }
}
