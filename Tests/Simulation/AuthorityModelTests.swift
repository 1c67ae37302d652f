import Authority
import Foundation
import Testing

/// The server's own services over stores of values, with attackers of bounded means who do everything in every order.
@Suite("Who may do what, explored")
struct AuthorityModelTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let model: AuthorityModel
        /// The short run reaches at least so many states: fewer would show less than it did.
        let floor: Int
        var testDescription: String { model.name }

        init(_ model: AuthorityModel, floor: Int) {
            self.model = model
            self.floor = floor
        }
    }

    static let cases = [
        Case(WireModels.newcomer(), floor: 600),
        Case(WireModels.newcomer(AuthoritySettings(policy: AuthorityPolicy(signUp: .invited))), floor: 8),
        Case(WireModels.newcomer(AuthoritySettings(policy: AuthorityPolicy(signUp: .off))), floor: 5),
        Case(
            WireModels.newcomer(AuthoritySettings(policy: AuthorityPolicy(signUp: .domains(["acme.example"])))),
            floor: 25),
        Case(WireModels.newcomer(AuthoritySettings(isNetworkShared: true)), floor: 600),
        Case(WireModels.password(), floor: 130),
        Case(WireModels.mailbox(), floor: 850),
        Case(WireModels.oldSession(hasAuthenticator: false), floor: 180),
        Case(WireModels.oldSession(hasAuthenticator: true), floor: 170),
        Case(PageModels.cookie(isOld: true), floor: 210),
        Case(PageModels.cookie(isOld: false), floor: 135),
        Case(ConsoleModels.operator(), floor: 140),
        Case(DirectoryModels.directory(), floor: 700),
        Case(DirectoryModels.provider(of: nil), floor: 200),
        Case(DirectoryModels.provider(of: "acme"), floor: 260),
        Case(DirectoryModels.liar(), floor: 80),
        Case(ClientModels.claims(), floor: 1_000),
        Case(EndModels.ends(), floor: 600),
    ].filter { isChosen($0.model.name) }

    private static let isLong = ProcessInfo.processInfo.environment["KEYTURN_MODEL"] == "long"
    private static let only = ProcessInfo.processInfo.environment["KEYTURN_MODEL_ONLY"] ?? ""

    /// `ONLY=authority` runs all of them.
    private static func isChosen(_ name: String) -> Bool {
        only.isEmpty || only == "authority" || name.contains(only)
    }

    @Test(.serialized, arguments: cases)
    func `an attacker never gets more than the means that it has`(_ c: Case) async throws {
        let depth = Self.isLong ? c.model.depth.long : c.model.depth.short
        let report = try await AuthorityExplorer(c.model).explore(depth: depth)
        print("explored \(report.stateCount) states by \(report.actCount) acts, \(depth) deep: \(c.model.name)")
        #expect(report.violation == nil, "\(Self.story(report))")
        guard report.violation == nil else { return }
        #expect(report.stateCount >= c.floor)
        // An act that finds nothing to do shows nothing. Where sign-up is closed, there is little to do.
        guard c.model.settings.policy.signUp == .open else { return }
        let idle = Set(c.model.acts.map(\.label)).subtracting(report.performed).subtracting(report.refusals.keys)
        #expect(idle.subtracting(c.model.idle).isEmpty, "\(idle.sorted())")
    }

    @Test(.serialized, arguments: AuthorityFault.allCases.filter { isChosen($0.rawValue) })
    func `the rules as they were are found faulty`(_ fault: AuthorityFault) async throws {
        let report = try await AuthorityExplorer(fault.model).explore(depth: fault.model.depth.short)
        print("found after \(report.stateCount) states: \(fault.rawValue): \(Self.story(report))")
        #expect(report.violation?.text.hasPrefix(fault.found) == true)
    }

    @Test func `each way in which authority broke is planted`() {
        #expect(Set(AuthorityFault.allCases.compactMap(\.line)) == Set(1...9))
    }

    private static func story(_ report: AuthorityExplorer.Report) -> String {
        guard let (text, steps) = report.violation else { return "nothing in \(report.stateCount) states" }
        return "\(text), after \(report.stateCount) states:\n" + steps.joined(separator: "\n")
    }
}
