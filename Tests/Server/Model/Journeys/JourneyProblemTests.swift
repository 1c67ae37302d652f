import KeyturnBase
import Model
import Testing

/// The mistakes that are found before a journey runs.
@Suite("Mistakes in a journey")
struct JourneyProblemTests {
    private static let any = JourneyStepKind.prove(JourneyProof())
    private static let terms = JourneyStepKind.accept(
        JourneyDocument(name: "terms", version: "1", uri: "https://example.com"))

    private func problems(_ steps: JourneyStep...) -> [JourneyProblem] { Journey(name: "j", steps: steps).problems }

    @Test func `the built-in journey has none`() {
        #expect(Journey.standard.problems.isEmpty)
    }

    @Test func `a way to a step that is not there`() {
        #expect(problems(JourneyStep("a", Self.any, next: "b")) == [.unknownStep(step: "a", next: "b")])
    }

    @Test func `a dead end`() {
        #expect(problems(JourneyStep("a", Self.any)) == [.deadEnd("a")])
    }

    @Test func `two steps of one name`() {
        #expect(problems(JourneyStep("a", .done), JourneyStep("a", .done)) == [.duplicateStep("a")])
    }

    @Test func `a loop`() {
        #expect(
            problems(
                JourneyStep("a", Self.any, next: "b"), JourneyStep("b", Self.terms, next: "c"),
                JourneyStep("c", .decide([JourneyBranch(when: .newUser, next: "b")]), next: "d"),
                JourneyStep("d", .done)) == [.loop(["b", "c", "b"])])
    }

    @Test func `a step that no way leads to`() {
        #expect(
            problems(
                JourneyStep("a", Self.any, next: "c"), JourneyStep("b", Self.terms, next: "c"), JourneyStep("c", .done))
                == [.unreachable("b")])
    }

    @Test func `no way to the end`() {
        #expect(problems(JourneyStep("a", Self.any, next: "b"), JourneyStep("b", .refuse)) == [.endless])
    }

    @Test func `a way past every proof`() {
        #expect(
            problems(JourneyStep("a", .identify(allowsSignUp: true), next: "b"), JourneyStep("b", .done)) == [
                .unproven("b")
            ])
        // A step that may be passed over proves nothing.
        #expect(
            problems(
                JourneyStep("who", .identify(allowsSignUp: true), next: "a"),
                JourneyStep("a", Self.any, when: .domain(["x"]), next: "b"), JourneyStep("b", .done)) == [
                    .unproven("b")
                ])
    }

    @Test func `a condition about what is not known yet`() {
        #expect(
            problems(
                JourneyStep("a", .decide([JourneyBranch(when: .not(.domain(["x"])), next: "b")]), next: "b"),
                JourneyStep("b", Self.any, next: "c"), JourneyStep("c", .done)) == [.undecided(step: "a", .identifier)])
        #expect(
            problems(
                JourneyStep("a", .identify(allowsSignUp: false), next: "b"),
                JourneyStep(
                    "b", .decide([JourneyBranch(when: .all([.domain(["x"]), .tenant(["t"])]), next: "c")]), next: "c"),
                JourneyStep("c", Self.any, next: "d"), JourneyStep("d", .done)) == [.undecided(step: "b", .user)])
    }
}
