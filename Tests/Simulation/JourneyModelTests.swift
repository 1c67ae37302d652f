import KeyturnBase
import Model
import Testing

/// The state machine of sign-ins, over journeys, with every form in every order and with copies of earlier states.
@Suite("Every way through a journey, explored")
struct JourneyModelTests {
    @Test(arguments: journeys)
    func `no way leads to the end without what the journey demands`(journey: Journey) {
        #expect(journey.problems.isEmpty, "\(journey.problems)")
        for typed in ["acme.example", "home.example"] {
            let report = Self.explore(JourneyModel(journey, typed: typed))
            print("explored \(report.stateCount) states: \(journey.name), typed at \(typed)")
            #expect(report.violation == nil, "\(Self.story(report))")
            #expect(report.isComplete)
        }
    }

    @Test func `nor in journeys put together at random`() {
        var random = SeededGenerator(seed: 20_261_125)
        var count = 0
        var states = 0
        while count < (SessionModelTests.isLong ? 400 : 60) {
            let journey = Self.anyJourney(&random)
            guard journey.problems.isEmpty else { continue }
            count += 1
            let report = Self.explore(JourneyModel(journey, typed: "home.example"))
            states += report.stateCount
            #expect(report.violation == nil, "\(Self.story(report))\n\(journey)")
            #expect(report.isComplete)
        }
        print("explored \(states) states: \(count) journeys")
    }

    @Test(arguments: JourneyModel.Fault.allCases.filter { $0 != .none })
    func `each planted mistake is found`(fault: JourneyModel.Fault) {
        let found = Self.journeys.contains { journey in
            let report = Self.explore(JourneyModel(journey, typed: "home.example", fault: fault))
            return report.violation != nil
        }
        #expect(found)
    }

    private static func explore(_ model: JourneyModel) -> ModelChecker<JourneyModel>.Report {
        ModelChecker(next: JourneyModel.next, violation: \.violation).explore(from: model, bound: 2_000_000)
    }

    private static func story(_ report: ModelChecker<JourneyModel>.Report) -> String {
        guard let (text, steps) = report.violation else { return "nothing in \(report.stateCount) states" }
        return "\(text), after \(report.stateCount) states:\n" + steps.joined(separator: "\n")
    }
}

extension JourneyModelTests {
    private static let terms = JourneyDocument(name: "terms", version: "1", uri: "https://example.com/terms")
    private static let form = JourneyForm([
        JourneyField("given_name", isClaim: true, .text(length: 1...50, mask: nil), label: LocalizedText()),
        JourneyField("size", isClaim: false, .boolean, isRequired: false, label: LocalizedText()),
    ])

    static let journeys = [
        Journey(
            name: "by-domain",
            steps: [
                JourneyStep("who", .identify(allowsSignUp: true), next: "route"),
                JourneyStep(
                    "route", .decide([JourneyBranch(when: .domain(["acme.example"]), next: "acme")]), next: "own"),
                JourneyStep("acme", .prove(JourneyProof(connections: ["acme"])), next: "end"),
                JourneyStep("own", .prove(JourneyProof([.password, .email])), next: "end"),
                JourneyStep("end", .done),
            ]),
        Journey(
            name: "everything",
            steps: [
                JourneyStep("first", .prove(JourneyProof([.passkey, .email])), next: "profile"),
                JourneyStep("profile", .collect(form), when: .not(.has(["given_name"])), next: "terms"),
                JourneyStep("terms", .accept(terms), next: "tenant"),
                JourneyStep("tenant", .chooseTenant, next: "second"),
                JourneyStep(
                    "second", .stepUp(JourneyProof([.totp, .passkey])), when: .tenant(["a"]), next: "check"),
                JourneyStep(
                    "check",
                    .call(
                        JourneyCall(
                            uri: "https://example.com/check", secret: Secret("s"), outcomes: ["good": "end"],
                            failed: "no"))),
                JourneyStep("no", .refuse), JourneyStep("end", .done),
            ]),
        Journey(
            name: "payment",
            steps: [
                JourneyStep("first", .prove(JourneyProof()), next: "second"),
                JourneyStep("second", .stepUp(JourneyProof([.totp])), next: "end"), JourneyStep("end", .done),
            ]),
        Journey(
            name: "fresh",
            steps: [
                JourneyStep("first", .prove(JourneyProof(maxAgeSeconds: 300)), next: "connect"),
                JourneyStep("connect", .link(JourneyLink(["acme"])), next: "end"), JourneyStep("end", .done),
            ]),
        Journey(
            name: "newcomers",
            steps: [
                JourneyStep("join", .create(JourneyProof([.email]), allowsSignIn: false), next: "connect"),
                JourneyStep("connect", .link(JourneyLink(isRequired: false)), when: .newUser, next: "end"),
                JourneyStep("end", .done),
            ]),
        Journey(
            name: "careful",
            steps: [
                JourneyStep("first", .prove(JourneyProof()), next: "second"),
                JourneyStep(
                    "second", .stepUp(JourneyProof([.totp, .passkey], maxAgeSeconds: 3600)), when: .risk([.newDevice]),
                    next: "profile"),
                JourneyStep("profile", .collect(form), when: .not(.olderThan(seconds: 600)), next: "connect"),
                JourneyStep("connect", .link(JourneyLink(["acme"])), when: .olderThan(seconds: 600), next: "again"),
                JourneyStep("again", .prove(JourneyProof(maxAgeSeconds: 0)), when: .risk([.newDevice]), next: "end"),
                JourneyStep("end", .done),
            ]),
    ]

    /// A journey of four to seven steps; many of them have mistakes.
    private static func anyJourney(_ random: inout SeededGenerator) -> Journey {
        let count = Int.random(in: 2...5, using: &random)
        let names = ["first"] + (1...count).map { "s\($0)" } + ["no", "end"]
        func later(_ index: Int) -> String { names[Int.random(in: (index + 1)..<names.count, using: &random)] }
        let conditions: [JourneyCondition] = [
            .domain(["acme.example"]), .has(["given_name"]), .tenant(["b"]), .used([.password]), .enrolled([.totp]),
            .newUser, .olderThan(seconds: 600), .risk([.newDevice]),
        ]
        func condition() -> JourneyCondition {
            let condition = conditions[Int.random(in: 0..<conditions.count, using: &random)]
            return Bool.random(using: &random) ? condition : .not(condition)
        }
        let proofs = [
            JourneyProof(), JourneyProof([.passkey]), JourneyProof([.password, .totp], connections: ["acme"]),
            JourneyProof(maxAgeSeconds: 300), JourneyProof([.password, .approval], maxAgeSeconds: 1000),
        ]
        func proof() -> JourneyProof { proofs[Int.random(in: 0..<proofs.count, using: &random)] }
        let isForAll = Int.random(in: 0..<3, using: &random) > 0
        let first =
            isForAll ? JourneyStepKind.prove(proof()) : .create(proof(), allowsSignIn: Bool.random(using: &random))
        var steps = [JourneyStep("first", first, next: later(0))]
        for index in 1...count {
            let kinds: [JourneyStepKind] = [
                .collect(form), .accept(terms), .chooseTenant, .stepUp(JourneyProof([.totp, .passkey])),
                .stepUp(JourneyProof(maxAgeSeconds: 300)), .prove(proof()),
                .link(JourneyLink(["acme"], isRequired: Bool.random(using: &random))),
                .decide([JourneyBranch(when: condition(), next: later(index))]),
                .call(
                    JourneyCall(
                        uri: "https://example.com/", secret: Secret("s"), outcomes: ["good": later(index)],
                        failed: later(index))),
            ]
            let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
            var isPassable = true
            var next: String? = later(index)
            if case .call = kind { (isPassable, next) = (false, nil) }
            if case .decide = kind { isPassable = false }
            let isConditional = isPassable && Bool.random(using: &random)
            steps.append(JourneyStep(names[index], kind, when: isConditional ? condition() : nil, next: next))
        }
        steps += [JourneyStep("no", .refuse), JourneyStep("end", .done)]
        // Steps that no way leads to would be a mistake of their own.
        var reached: Set<String> = ["first"]
        for step in steps where reached.contains(step.name) { reached.formUnion(step.followers) }
        return Journey(name: "random", steps: steps.filter { reached.contains($0.name) })
    }
}

/// The same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
