/// What happened in a journey so far, sealed into the sign-in.
///
/// There is no current step in it: ``position(in:_:)`` walks from the first step past all that is fulfilled. So no form
/// can jump over a step, and an older record leads to the step where it stands.
public struct JourneyRecord: Codable, Hashable, Sendable {
    /// The journey's name.
    public let journey: String
    /// The branch of each decision, and whether each conditional step counts. Once made, a decision stays: what the user
    /// fills in later does not change the way.
    private var decisions: [String: Int] = [:]
    /// The outcomes of calls.
    private var outcomes: [String: String] = [:]
    /// Forms that the user sent, and wishes that the user declined, by their steps.
    private var answered: Set<String> = []
    /// The chosen tenant; `nil`: none yet.
    public private(set) var tenant: String?
    /// Whether the decisions are those of the verified user.
    private var isOfUser = false

    public init(_ journey: String) { self.journey = journey }

    /// Where a sign-in stands.
    public enum Position: Equatable, Sendable {
        /// At a step that waits for the user, or for a call.
        case at(JourneyStep)
        case refused(JourneyStep)
        case done
    }

    /// The first step that is not fulfilled. Makes the decisions on the way.
    ///
    /// Decisions from before the verification are made again after it: the typed address may be another user's.
    public mutating func position(in journey: Journey, _ facts: JourneyFacts) -> Position? {
        guard journey.name == self.journey else { return nil }
        if facts.isProven, !isOfUser {
            self = JourneyRecord(self.journey)
            isOfUser = true
        }
        var current = journey.steps.first
        // Each step at most once, so that even a journey with a loop ends here.
        for _ in journey.steps {
            guard let step = current else { return nil }
            guard counts(step, facts) else {
                current = step.next.flatMap(journey.step)
                continue
            }
            guard isFulfilled(step, facts) else { return step.kind == .refuse ? .refused(step) : .at(step) }
            if step.kind == .done { return facts.isProven ? .done : nil }
            current = follower(of: step, facts).flatMap(journey.step)
        }
        return nil
    }

    private mutating func counts(_ step: JourneyStep, _ facts: JourneyFacts) -> Bool {
        guard let condition = step.condition else { return true }
        return decision(step.name) { condition.holds(facts) ? 1 : 0 } == 1
    }

    private mutating func follower(of step: JourneyStep, _ facts: JourneyFacts) -> String? {
        switch step.kind {
        case .decide(let branches):
            let index = decision("\(step.name)?") {
                branches.firstIndex { $0.condition.holds(facts) } ?? branches.count
            }
            return branches.indices.contains(index) ? branches[index].next : step.next
        case .call(let call):
            return outcomes[step.name].flatMap { call.outcomes[$0] } ?? call.failed
        default:
            return step.next
        }
    }

    private mutating func decision(_ name: String, _ make: () -> Int) -> Int {
        if let made = decisions[name] { return made }
        let new = make()
        decisions[name] = new
        return new
    }

    private func isFulfilled(_ step: JourneyStep, _ facts: JourneyFacts) -> Bool {
        switch step.kind {
        case .identify: facts.isIdentified || facts.isProven
        case .prove(let proof): facts.satisfies(proof)
        case .create(let proof, let allowsSignIn): facts.satisfies(proof) && (allowsSignIn || facts.isNewUser)
        case .stepUp(let proof): facts.hasSeveralFactors && facts.satisfies(proof)
        case .collect(let form): isFulfilled(form, step.name, facts)
        case .accept(let document): facts.accepted.contains(document.key)
        case .link(let link): isFulfilled(link, step.name, facts)
        case .call: outcomes[step.name] != nil
        case .chooseTenant: tenant.map(facts.tenants.contains) ?? (facts.tenants.count <= 1)
        case .decide, .done: true
        case .refuse: false
        }
    }

    private func isFulfilled(_ link: JourneyLink, _ name: String, _ facts: JourneyFacts) -> Bool {
        facts.linked.contains(where: link.accepts)
            || !link.isRequired && (facts.isResumed || answered.contains(name))
    }

    private func isFulfilled(_ form: JourneyForm, _ name: String, _ facts: JourneyFacts) -> Bool {
        let missing = form.missing(from: facts.attributes)
        // What is optional is asked for once in a sign-in, and not where there is none.
        return missing.isEmpty
            || (facts.isResumed || answered.contains(name)) && !missing.contains(where: \.isRequired)
    }
}

extension JourneyRecord {
    /// What a page or a call reported.
    public enum Report: Hashable, Sendable {
        /// A form was sent, and what it said is stored.
        case collected
        /// A call was answered with an outcome, or failed (`nil`).
        case called(String?)
        case tenantChosen(String)
        /// The acceptance is stored.
        case accepted
        /// The account at a provider is connected.
        case linked
        /// The user does not want to connect one.
        case linkDeclined
    }

    /// Notes a report of the step at which the sign-in stands.
    ///
    /// - Returns: `false` for a report that is not of this step, which changes nothing.
    public mutating func note(_ report: Report, at step: JourneyStep, _ facts: JourneyFacts) -> Bool {
        switch (step.kind, report) {
        case (.collect, .collected): answered.insert(step.name)
        case (.accept, .accepted), (.link, .linked): break
        case (.link(let link), .linkDeclined) where !link.isRequired: answered.insert(step.name)
        case (.call, .called(let outcome)): outcomes[step.name] = outcome ?? ""
        case (.chooseTenant, .tenantChosen(let id)) where facts.tenants.contains(id): tenant = id
        default: return false
        }
        return true
    }
}
