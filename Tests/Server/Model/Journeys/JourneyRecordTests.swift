import KeyturnBase
import Model
import Testing

/// The way through a journey, from the facts alone.
@Suite("A journey's way")
struct JourneyRecordTests {
    private static let journey = Journey(
        name: "shop",
        steps: [
            JourneyStep("who", .identify(allowsSignUp: true), next: "route"),
            JourneyStep(
                "route", .decide([JourneyBranch(when: .domain(["acme.example"]), next: "acme")]), next: "first"),
            JourneyStep("acme", .prove(JourneyProof([], connections: ["acme"])), next: "profile"),
            JourneyStep("first", .prove(JourneyProof([.passkey, .email])), next: "profile"),
            JourneyStep(
                "profile", .collect(JourneyForm([name, size])), when: .not(.has(["given_name"])), next: "terms"),
            JourneyStep("terms", .accept(terms), next: "tenant"),
            JourneyStep("tenant", .chooseTenant, next: "second"),
            JourneyStep("second", .stepUp(JourneyProof([.totp], maxAgeSeconds: 60)), next: "fraud"),
            JourneyStep("fraud", .call(call)),
            JourneyStep("no", .refuse), JourneyStep("ok", .done),
        ])
    private static let name = JourneyField(
        "given_name", isClaim: true, .text(length: 1...50, mask: nil), label: LocalizedText(["en": "Name"]))
    private static let size = JourneyField(
        "size", isClaim: false, .number(within: 1...9), isRequired: false, label: LocalizedText(["en": "Size"]))
    private static let terms = JourneyDocument(name: "terms", version: "2", uri: "https://example.com/terms")
    private static let call = JourneyCall(
        uri: "https://example.com/check", secret: Secret("s"), outcomes: ["good": "ok"], failed: "no")

    private var facts: JourneyFacts = {
        var facts = JourneyFacts()
        facts.isIdentified = true
        return facts
    }()

    private func proven(_ methods: Set<AuthenticationMethod> = [.email]) -> JourneyFacts {
        var facts = facts
        (facts.isProven, facts.methods) = (true, methods)
        return facts
    }

    private func step(_ record: inout JourneyRecord, _ facts: JourneyFacts) -> String {
        switch record.position(in: Self.journey, facts) {
        case .at(let step): step.name
        case .refused(let step): "refused at \(step.name)"
        case .done: "done"
        case nil: "nowhere"
        }
    }

    @Test func `each step waits for its own fact`() throws {
        var record = JourneyRecord("shop")
        #expect(step(&record, JourneyFacts()) == "who")
        #expect(step(&record, facts) == "first")
        #expect(step(&record, proven([.password])) == "first")
        var facts = proven()
        #expect(step(&record, facts) == "profile")
        facts.attributes = ["given_name"]
        let profile = try #require(Self.journey.step("profile"))
        // The optional field is asked for until the form was sent.
        #expect(step(&record, facts) == "profile")
        let isCollected = record.note(.collected, at: profile, facts)
        #expect(isCollected)
        #expect(step(&record, facts) == "terms")
        facts.accepted = ["terms@1"]
        #expect(step(&record, facts) == "terms")
        facts.accepted = ["terms@2"]
        facts.tenants = ["a", "b"]
        #expect(step(&record, facts) == "tenant")
        let tenant = try #require(Self.journey.step("tenant"))
        let isForeign = record.note(.tenantChosen("c"), at: tenant, facts)
        let isOwn = record.note(.tenantChosen("b"), at: tenant, facts)
        #expect(!isForeign && isOwn)
        #expect(step(&record, facts) == "second")
        facts.hasSeveralFactors = true
        #expect(step(&record, facts) == "second")
        facts.methods.insert(.totp)
        facts.ageSeconds = 61
        #expect(step(&record, facts) == "second")
        facts.ageSeconds = -5
        #expect(step(&record, facts) == "fraud")
        var refused = record
        let fraud = try #require(Self.journey.step("fraud"))
        let hasFailed = refused.note(.called(nil), at: fraud, facts)
        #expect(hasFailed && step(&refused, facts) == "refused at no")
        let isGood = record.note(.called("good"), at: fraud, facts)
        #expect(isGood && step(&record, facts) == "done")
    }

    @Test func `an outcome that is not listed leads where a failure leads`() throws {
        var facts = proven([.email, .totp])
        facts.attributes = ["given_name", "size"]
        facts.accepted = ["terms@2"]
        facts.hasSeveralFactors = true
        var record = JourneyRecord("shop")
        #expect(step(&record, facts) == "fraud")
        let isTaken = record.note(.called("ok"), at: try #require(Self.journey.step("fraud")), facts)
        #expect(isTaken)
        #expect(step(&record, facts) == "refused at no")
    }

    @Test func `a typed address of another domain opens no easier way`() {
        var record = JourneyRecord("shop")
        #expect(step(&record, facts) == "first")
        var facts = proven()
        facts.domains = ["acme.example"]
        #expect(step(&record, facts) == "acme")
        facts.methods = [.federated]
        #expect(step(&record, facts) == "acme")
        facts.connection = "another"
        #expect(step(&record, facts) == "acme")
        facts.connection = "acme"
        #expect(step(&record, facts) == "profile")
    }

    @Test func `a decision about the user stays, whatever the user fills in later`() {
        let journey = Journey(
            name: "j",
            steps: [
                JourneyStep("first", .prove(JourneyProof()), next: "known"),
                JourneyStep(
                    "known", .decide([JourneyBranch(when: .has(["given_name"]), next: "end")]), next: "profile"),
                JourneyStep("profile", .collect(JourneyForm([Self.name])), next: "terms"),
                JourneyStep("terms", .accept(Self.terms), next: "end"), JourneyStep("end", .done),
            ])
        var record = JourneyRecord("j")
        var facts = proven()
        #expect(record.position(in: journey, facts) == .at(journey.steps[2]))
        facts.attributes = ["given_name"]
        #expect(record.position(in: journey, facts) == .at(journey.steps[3]))
    }

    @Test func `a report of another step changes nothing`() {
        for step in Self.journey.steps {
            let reports: [JourneyRecord.Report] = [.collected, .called("good"), .tenantChosen("x"), .accepted]
            for report in reports {
                var record = JourneyRecord("shop")
                let isTaken = record.note(report, at: step, proven())
                #expect(isTaken || record == JourneyRecord("shop"))
                #expect(isTaken == (report == Self.expected(step)))
            }
        }
    }

    private static func expected(_ step: JourneyStep) -> JourneyRecord.Report? {
        switch step.kind {
        case .collect: .collected
        case .call: .called("good")
        case .accept: .accepted
        default: nil
        }
    }

    @Test func `a journey with a loop, and one of another name, lead nowhere`() {
        let loop = Journey(
            name: "shop",
            steps: [
                JourneyStep("a", .prove(JourneyProof()), next: "b"),
                JourneyStep("b", .prove(JourneyProof()), next: "a"),
            ])
        var record = JourneyRecord("shop")
        #expect(record.position(in: loop, proven()) == nil)
        var other = JourneyRecord("other")
        #expect(other.position(in: Self.journey, proven()) == nil)
    }

    @Test func `done without a proof leads nowhere`() {
        var record = JourneyRecord("x")
        #expect(record.position(in: Journey(name: "x", steps: [JourneyStep("end", .done)]), facts) == nil)
    }
}
