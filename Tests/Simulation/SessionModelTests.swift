import Foundation
import Testing

@testable import Keyturn

/// The client's machine and procedures, and the server's rules, as they are, in a small world in which everything that
/// can go wrong does, in every order.
@Suite("Every way a session can go, explored")
struct SessionModelTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var isBound = false
        var rotation = Rotation.ours
        var hasLock = true
        var processCount = 2
        var canOvertake = false
        let budget: Budget
        var testDescription: String { name + (isBound ? ", bound" : "") }

        /// The same with a bound grant.
        var bound: Case {
            Case(
                name: name, isBound: true, rotation: rotation, hasLock: hasLock, processCount: processCount,
                canOvertake: canOvertake, budget: budget)
        }
    }

    /// What one run explores; `KEYTURN_MODEL=long` explores more, and `KEYTURN_MODEL_ONLY` only what has this in its name.
    static let isLong = ProcessInfo.processInfo.environment["KEYTURN_MODEL"] == "long"
    private static let only = ProcessInfo.processInfo.environment["KEYTURN_MODEL_ONLY"] ?? ""

    static let usual = [
        Case(name: "two processes, a lossy network", budget: Budget(ticks: 2, drops: 2, duplicates: 1)),
        Case(name: "kills at every step", budget: Budget(ticks: 2, crashes: 1)),
        Case(name: "kills and losses", budget: Budget(ticks: 1, drops: 1, crashes: 1)),
        Case(name: "a stopped lock holder", budget: Budget(ticks: 2, impatience: 1)),
        Case(name: "full disks", budget: Budget(ticks: 2, fullDisks: 2)),
        Case(name: "signing out meanwhile", budget: Budget(ticks: 1, drops: 1, impatience: 1, signOuts: 1)),
        Case(
            name: "signing out by force meanwhile",
            budget: Budget(ticks: 1, timeouts: 1, impatience: 1, forcedSignOuts: 1)),
        Case(
            name: "somebody else signs in meanwhile", budget: Budget(ticks: 1, timeouts: 1, impatience: 1, signIns: 1)),
        Case(name: "a thief", budget: Budget(ticks: 2, thefts: 1, thiefUses: 3)),
        Case(name: "a database that loses its last commits", budget: Budget(ticks: 2, drops: 1, losses: 2)),
    ]
    static let tabs = [
        Case(
            name: "two tabs without a lock, one renews twice", hasLock: false, canOvertake: true,
            budget: Budget(duplicates: 1, forcedRenewals: 2)),
        Case(
            name: "two tabs without a lock, a lossy network", hasLock: false, canOvertake: true,
            budget: Budget(ticks: 1, drops: 1)),
        Case(
            name: "requests that overtake each other", canOvertake: true,
            budget: Budget(ticks: 1, timeouts: 1, forcedRenewals: 1)),
    ]
    static let strict = Case(
        name: "a server that forgives nothing, and a stopped lock holder", rotation: .strict,
        budget: Budget(ticks: 1, impatience: 1))
    static let long = [
        Case(
            name: "three tabs without a lock", hasLock: false, processCount: 3, canOvertake: true,
            budget: Budget(forcedRenewals: 1)),
        Case(
            name: "two tabs without a lock, losses and time", hasLock: false, canOvertake: true,
            budget: Budget(ticks: 2, drops: 1, duplicates: 1)),
        Case(name: "kills, losses and time", budget: Budget(ticks: 2, drops: 1, crashes: 1)),
        Case(
            name: "stopped processes, losses and impatience",
            budget: Budget(ticks: 2, drops: 1, timeouts: 1, impatience: 1)),
        Case(name: "full disks and kills", budget: Budget(ticks: 2, crashes: 1, fullDisks: 2)),
        Case(name: "a thief and losses", budget: Budget(ticks: 2, drops: 1, thefts: 1, thiefUses: 3)),
    ]
    static let cases = (usual + usual.map(\.bound) + tabs + [strict] + (isLong ? long + long.map(\.bound) : []))
        .filter { only.isEmpty || $0.testDescription.contains(only) }

    @Test(.serialized, arguments: cases)
    func `no session is lost, and no theft goes unnoticed`(_ c: Case) {
        let report = Self.explore(c)
        print("explored \(report.stateCount) states: \(c.testDescription)")
        #expect(report.violation == nil, "\(Self.story(report))")
        #expect(report.isComplete)
    }

    struct Planted: Sendable, CustomTestStringConvertible {
        let fault: Fault
        let found: String
        var rotation = Rotation.ours
        var hasLock = true
        let budget: Budget
        var testDescription: String { "\(fault)" }
    }

    static let planted = [
        Planted(
            fault: .noReread, found: "signed out for no reason", rotation: .strict,
            budget: Budget(ticks: 1, impatience: 1)),
        Planted(
            fault: .noGenerationCheck, found: "a late answer touched another session",
            budget: Budget(ticks: 1, impatience: 1, signIns: 1)),
        Planted(
            fault: .noGuardedUpdate, found: "two successors are alive",
            budget: Budget(ticks: 2, duplicates: 1)),
        Planted(
            fault: .noDeadline, found: "a renewal removed a session that stands",
            budget: Budget(ticks: 3, impatience: 2)),
        Planted(fault: .noLock, found: "two processes ask for new tokens at once", budget: Budget(ticks: 1)),
        Planted(
            fault: .wideWindow, found: "a late use too many went unnoticed",
            budget: Budget(ticks: 4, thefts: 1, thiefUses: 2)),
        Planted(
            fault: .formerRules, found: "a token that was superseded within the minute was refused", hasLock: false,
            budget: Budget(ticks: 1, duplicates: 1, forcedRenewals: 1)),
        Planted(
            fault: .noAhead, found: "a session was lost with the database's last commit",
            budget: Budget(ticks: 2, losses: 1)),
    ]

    @Test(.serialized, arguments: planted)
    func `a planted mistake is found`(_ planted: Planted) {
        let c = Case(
            name: "planted", rotation: planted.rotation, hasLock: planted.hasLock, budget: planted.budget)
        let report = Self.explore(c, planted.fault)
        print("found after \(report.stateCount) states: \(planted.fault)")
        #expect(report.violation?.text.contains(planted.found) == true, "\(Self.story(report))")
    }

    private static func explore(_ c: Case, _ fault: Fault = .none) -> ModelChecker<World>.Report {
        let world = World(
            isBound: c.isBound, rotation: c.rotation, hasLock: c.hasLock, processCount: c.processCount,
            canOvertake: c.canOvertake, budget: c.budget,
            fault: fault)
        let checker = ModelChecker(next: World.next, violation: World.violation)
        guard isLong, fault == .none else { return checker.explore(from: world, bound: 1_000_000) }
        return checker.exploreDeep(from: world, bound: 20_000_000) { count in
            print("\(count / 1_000_000) million states: \(c.testDescription)")
        }
    }

    private static func story(_ report: ModelChecker<World>.Report) -> String {
        guard let (text, steps) = report.violation else { return "nothing in \(report.stateCount) states" }
        return "\(text), after \(report.stateCount) states:\n" + steps.joined(separator: "\n")
    }
}
