import Testing

/// Refresh tokens that are bound to no key, and a copy of one.
@Suite("A thief with any timing beside an owner with any timing, explored")
struct TheftModelTests {
    @Test func `every use by a thief lies within a minute of the owner's, but for three, never two in a row`() {
        let report = Self.explore(usesFormerRules: false, uses: SessionModelTests.isLong ? 10 : 8)
        print("explored \(report.stateCount) states: a thief and an owner with any timing")
        #expect(report.violation == nil, "\(Self.story(report))")
        #expect(report.isComplete)
    }

    @Test func `forgiving once a day lets a thief who comes once a day stay, and that is found`() {
        let report = Self.explore(usesFormerRules: true, uses: 8)
        print("found after \(report.stateCount) states: forgiving once a day")
        #expect(report.violation?.text.contains("went unnoticed") == true, "\(Self.story(report))")
    }

    private static func explore(usesFormerRules: Bool, uses: Int) -> ModelChecker<TheftModel>.Report {
        ModelChecker(next: TheftModel.next, violation: \.violation).explore(
            from: TheftModel(usesFormerRules: usesFormerRules, usesLeft: uses), bound: 20_000_000)
    }

    private static func story(_ report: ModelChecker<TheftModel>.Report) -> String {
        guard let (text, steps) = report.violation else { return "nothing in \(report.stateCount) states" }
        return "\(text), after \(report.stateCount) states:\n" + steps.joined(separator: "\n")
    }
}
