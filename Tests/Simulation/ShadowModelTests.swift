import Testing

/// Refresh tokens that are bound to no key, and a copy of one that follows each rotation.
@Suite("A device that moves, and a thief who follows each rotation, explored")
struct ShadowModelTests {
    private static let uses = SessionModelTests.isLong ? 8 : 6

    @Test(.serialized, arguments: [MovingDevice.Assumption.fewTroubles, .calmRotations])
    func `tabs, retries, lost and late answers, IPv4 and IPv6 in turn, and moves are one device`(
        _ assumption: MovingDevice.Assumption
    ) {
        let report = Self.explore(assumption, troubles: assumption == .fewTroubles ? 3 : nil, uses: Self.uses)
        print("explored \(report.stateCount) states: a device that moves, \(assumption)")
        #expect(report.violation == nil, "\(Self.story(report))")
        #expect(report.isComplete)
    }

    /// So the assumption says no more than it must.
    @Test func `a device that moves a fourth time while its answers are lost looks like two`() {
        let report = Self.explore(.fewTroubles, troubles: 4, uses: 6)
        print("found after \(report.stateCount) states: a fourth trouble")
        #expect(report.violation != nil)
    }

    struct Planted: Sendable, CustomTestStringConvertible {
        let fault: ShadowFault
        let assumption: MovingDevice.Assumption
        let troubles: Int?
        var testDescription: String { "\(fault)" }
    }

    static let planted = [
        Planted(fault: .countsRetries, assumption: .fewTroubles, troubles: 0),
        Planted(fault: .twoFamilies, assumption: .fewTroubles, troubles: 0),
        Planted(fault: .forgetsTheRotationBetween, assumption: .calmRotations, troubles: nil),
    ]

    @Test(.serialized, arguments: planted)
    func `a planted mistake that takes one device for two is found`(_ planted: Planted) {
        let report = Self.explore(planted.assumption, troubles: planted.troubles, uses: 7, fault: planted.fault)
        print("found after \(report.stateCount) states: \(planted.fault)")
        #expect(report.violation?.text == "an honest device was taken for two holders", "\(Self.story(report))")
    }

    @Test func `a thief who follows three rotations running is told, and one who takes turns after five`() {
        let report = ModelChecker(next: FollowedOwner.next, violation: \.violation).explore(
            from: FollowedOwner(uses: SessionModelTests.isLong ? 14 : 10), bound: 20_000_000)
        print("explored \(report.stateCount) states: a thief who follows each rotation")
        #expect(report.violation == nil, "\(Self.story(report))")
        #expect(report.isComplete)
    }

    private static func explore(
        _ assumption: MovingDevice.Assumption, troubles: Int?, uses: Int, fault: ShadowFault = .none
    ) -> ModelChecker<MovingDevice>.Report {
        ModelChecker(next: MovingDevice.next, violation: \.violation).explore(
            from: MovingDevice(assumption, fault: fault, uses: uses, troubles: troubles), bound: 20_000_000)
    }

    private static func story<State>(_ report: ModelChecker<State>.Report) -> String {
        guard let (text, steps) = report.violation else { return "nothing in \(report.stateCount) states" }
        return "\(text), after \(report.stateCount) states:\n" + steps.joined(separator: "\n")
    }
}
