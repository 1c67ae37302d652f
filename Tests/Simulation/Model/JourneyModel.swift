import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

/// A user's way through a journey, with every form in every order, and sealed states that are used again.
///
/// ``SignInProgress`` decides, as on the server. Beside each sealed state stands what really happened on the way to it,
/// which the rules never see: ``violation`` judges by that alone.
struct JourneyModel: Hashable {
    /// A mistake that a handler could make.
    enum Fault: String, Hashable, CaseIterable, CustomTestStringConvertible {
        case none
        /// A way in that forgets that the transaction has a journey.
        case journeyForgotten
        /// The typed name decides, also when another user was verified.
        case typedNameBelieved
        /// The outcome of a call is taken from a form.
        case outcomeFromForm
        /// A form says that a second factor was used.
        case factorFromForm
        /// A step is noted as fulfilled before what it says is stored.
        case acceptanceNotStored
        /// Whatever was used counts as the method that the step wants.
        case anyMethodAccepted

        var testDescription: String { rawValue }
    }

    /// What really happened on the way to a sealed state.
    struct Truth: Hashable {
        var methods: Set<AuthenticationMethod> = []
        var connection: String?
        /// What the account said at any time since the verification.
        var seen: Set<JourneyFacts> = []
        var outcomes: [String: String] = [:]
        var tenant: String?
    }

    /// A state that a browser holds.
    struct Sealed: Hashable {
        var progress: SignInProgress
        var typed: String
        var truth = Truth()
    }

    struct Person: Hashable {
        let domain: String
        let tenants: Set<String>
        var attributes: Set<String> = []
        var accepted: Set<String> = []
        /// The second factor that the user has set up.
        let second: AuthenticationMethod?
    }

    let journey: Journey
    let fault: Fault
    var people: [String: Person]
    var current: Sealed
    /// A copy of an earlier state of the same browser.
    var kept: Sealed?

    static let start = UnixTime(rawValue: 1_800_000_000)

    init(_ journey: Journey, typed: String, fault: Fault = .none) {
        self.journey = journey
        self.fault = fault
        people = [
            "ann": Person(domain: "acme.example", tenants: ["a", "b"], second: nil),
            "bob": Person(domain: "home.example", tenants: [], second: .totp),
        ]
        current = Sealed(progress: Self.begun, typed: typed)
    }

    private static var begun: SignInProgress {
        SignInProgress(.signIn, loginID: "typed", channel: "email", browser: "browser")
    }

    /// What the server reads of a user.
    func facts(_ name: String, typed: String) -> JourneyFacts {
        var facts = JourneyFacts()
        guard let person = people[name] else { return facts }
        facts.isIdentified = true
        facts.domains = [fault == .typedNameBelieved ? typed : person.domain]
        facts.tenants = person.tenants
        facts.attributes = person.attributes
        facts.accepted = person.accepted
        if let second = person.second { facts.enrolled = [second] }
        return facts
    }

    private func demands(_ name: String, _ sealed: Sealed) -> SignInProgress.Demands {
        let facts = facts(name, typed: sealed.typed)
        return SignInProgress.Demands(
            secondFactor: people[name]?.second, needsSeveralFactors: false,
            journey: fault == .journeyForgotten
                ? nil : JourneyDemand(journey, facts, connection: sealed.truth.connection, startedAt: Self.start))
    }
}

/// Every step of the model.
extension JourneyModel {
    static func next(_ model: JourneyModel) -> [ModelChecker<JourneyModel>.Transition] {
        var all: [ModelChecker<JourneyModel>.Transition] = []
        func add(_ label: String, _ change: (inout JourneyModel) -> Bool) {
            var state = model
            if change(&state), state != model { all.append(.init(label, state)) }
        }
        add("keep a copy") {
            $0.kept = $0.current
            return true
        }
        if let kept = model.kept {
            add("use the copy") {
                $0.current = kept
                return true
            }
        }
        for name in model.people.keys.sorted() {
            for method in [AuthenticationMethod.password, .passkey, .email, .totp] {
                add("\(name) is verified by \(method)") { $0.verify(name, method, connection: nil) }
            }
            add("acme vouches for \(name)") { $0.verify(name, .federated, connection: "acme") }
        }
        guard let user = model.current.progress.proven?.userID else { return all }
        for report in [JourneyRecord.Report.collected, .accepted, .tenantChosen("a"), .linkDeclined, .linked] {
            add("\(user) sends the form \(report)") { $0.report(report, user) }
        }
        for step in model.journey.steps {
            guard case .call(let call) = step.kind, model.current.progress.step == .journey(step.name) else { continue }
            for outcome in call.outcomes.keys.sorted() + [""] {
                add("the service answers \(outcome)") { state in
                    state.current.truth.outcomes[step.name] = outcome
                    return state.report(.called(outcome.isEmpty ? nil : outcome), user)
                }
            }
            if model.fault == .outcomeFromForm {
                for outcome in call.outcomes.keys.sorted() {
                    add("\(user) sends the outcome \(outcome)") { $0.report(.called(outcome), user) }
                }
            }
        }
        return all
    }

    private mutating func verify(_ name: String, _ method: AuthenticationMethod, connection: String?) -> Bool {
        let earlier = current.progress.proven
        guard earlier == nil || earlier?.userID == name else { return false }
        guard earlier == nil || takesSecond(method) else { return false }
        var state = current
        state.truth.connection = connection ?? state.truth.connection
        state.truth.methods.insert(method)
        guard
            var facts = try? SecondFactor.combine(
                fault == .anyMethodAccepted && earlier == nil ? .passkey : method,
                isOfTwoFactors: method == .passkey || fault == .factorFromForm, with: earlier?.facts,
                mustCombine: earlier != nil, at: Self.start)
        else { return false }
        if fault == .factorFromForm { facts.methods.append(AuthenticationMethod.totp.word) }
        let user = User(id: UserID(rawValue: name), createdAt: Self.start + -1, updatedAt: Self.start)
        guard (try? state.progress.apply(.proved(.init(user, facts), demands(name, state)))) != nil else {
            return false
        }
        current = seeing(state)
        return true
    }

    /// Whether the page that is shown checks this method.
    private func takesSecond(_ method: AuthenticationMethod) -> Bool {
        switch current.progress.step {
        case .secondFactor(let factor): factor == method
        case .enrolment: method == .totp
        case .ways: method == .passkey
        default: false
        }
    }

    /// What a form does to the account, and then to the sign-in.
    private mutating func report(_ report: JourneyRecord.Report, _ user: String) -> Bool {
        guard case .journey(let name) = current.progress.step, let step = journey.step(name) else { return false }
        switch (step.kind, report) {
        case (.collect(let form), .collected):
            people[user]?.attributes.formUnion(form.fields.filter(\.isRequired).map(\.name))
        case (.accept(let document), .accepted):
            if fault == .acceptanceNotStored {
                // Noted, and the store failed afterwards.
                people[user]?.accepted.insert(document.key)
                guard apply(.journeyReported(report, demands(user, current))) else { return false }
                people[user]?.accepted.remove(document.key)
                return true
            }
            people[user]?.accepted.insert(document.key)
        case (.chooseTenant, .tenantChosen(let id)): current.truth.tenant = id
        default: break
        }
        return apply(.journeyReported(report, demands(user, current)))
    }

    private mutating func apply(_ event: SignInProgress.Event) -> Bool {
        var state = current
        guard (try? state.progress.apply(event)) != nil else { return false }
        current = seeing(state)
        return true
    }

    private func seeing(_ state: Sealed) -> Sealed {
        var state = state
        guard let user = state.progress.proven?.userID, let person = people[user] else {
            // The user begins again.
            state.truth = Truth()
            return state
        }
        var facts = JourneyFacts()
        facts.domains = [person.domain]
        facts.tenants = person.tenants
        facts.attributes = person.attributes
        facts.methods = state.truth.methods
        if let second = person.second { facts.enrolled = [second] }
        state.truth.seen.insert(facts)
        return state
    }
}

/// What must never be.
extension JourneyModel {
    var violation: String? {
        guard current.progress.step == .finished, let user = current.progress.proven?.userID,
            let person = people[user], let first = journey.steps.first
        else { return nil }
        var visited: Set<String> = []
        return leads(from: first.name, person, &visited)
            ? nil : "\(user) came to the end without what the journey demands"
    }

    /// Whether a way from a step to the end was really gone.
    private func leads(from name: String, _ person: Person, _ visited: inout Set<String>) -> Bool {
        guard visited.insert(name).inserted, let step = journey.step(name) else { return false }
        if step.kind == .done { return true }
        var ways: [String] = []
        if let condition = step.condition, held(.not(condition)) { ways += [step.next].compactMap(\.self) }
        if step.condition.map(held) ?? true, wasDone(step, person) { ways += follows(step) }
        return ways.contains { leads(from: $0, person, &visited) }
    }

    private func wasDone(_ step: JourneyStep, _ person: Person) -> Bool {
        let truth = current.truth
        func proved(_ proof: JourneyProof) -> Bool {
            if let connection = truth.connection, proof.connections.contains(connection) { return true }
            return proof.methods.isEmpty
                ? proof.connections.isEmpty : !proof.methods.isDisjoint(with: truth.methods)
        }
        switch step.kind {
        case .identify, .decide, .done: return true
        case .prove(let proof), .create(let proof, _): return !truth.methods.isEmpty && proved(proof)
        case .stepUp(let proof): return (truth.methods.count > 1 || truth.methods == [.passkey]) && proved(proof)
        case .collect(let form):
            return form.fields.filter(\.isRequired).allSatisfy { person.attributes.contains($0.name) }
        case .accept(let document): return person.accepted.contains(document.key)
        case .call: return truth.outcomes[step.name] != nil
        case .chooseTenant: return person.tenants.count <= 1 || truth.tenant.map(person.tenants.contains) ?? false
        case .link(let link): return !link.isRequired
        case .refuse: return false
        }
    }

    private func follows(_ step: JourneyStep) -> [String] {
        switch step.kind {
        case .decide(let branches):
            let open = branches.filter { held($0.condition) }.map(\.next)
            let isElse = current.truth.seen.contains { facts in branches.allSatisfy { !$0.condition.holds(facts) } }
            return open + (isElse ? [step.next].compactMap(\.self) : [])
        case .call(let call):
            return [current.truth.outcomes[step.name].flatMap { call.outcomes[$0] } ?? call.failed]
        default: return [step.next].compactMap(\.self)
        }
    }

    /// Whether a condition held at any time since the verification.
    private func held(_ condition: JourneyCondition) -> Bool { current.truth.seen.contains(where: condition.holds) }
}
