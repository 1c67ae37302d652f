import Model
import SignIn

/// What must never be.
extension JourneyModel {
    var violation: String? {
        if current.truth.hasStaleLink { return "an account was connected after a verification that was too old" }
        guard let user = current.ended, let person = people[user], let first = journey.steps.first else { return nil }
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
            guard let age = truth.age, age <= proof.maxAgeSeconds ?? age else { return false }
            if let connection = truth.connection, proof.connections.contains(connection) { return true }
            return proof.methods.isEmpty
                ? proof.connections.isEmpty : !proof.methods.isDisjoint(with: truth.methods)
        }
        switch step.kind {
        case .identify, .decide, .done: return true
        case .prove(let proof): return proved(proof)
        case .create(let proof, let allowsSignIn): return proved(proof) && (allowsSignIn || person.isNew)
        case .stepUp(let proof): return (truth.methods.count > 1 || truth.methods == [.passkey]) && proved(proof)
        case .collect(let form):
            return form.fields.filter(\.isRequired).allSatisfy { person.attributes.contains($0.name) }
        case .accept(let document): return person.accepted.contains(document.key)
        case .call: return truth.outcomes[step.name] != nil
        case .chooseTenant: return person.tenants.count <= 1 || truth.tenant.map(person.tenants.contains) ?? false
        case .link(let link):
            let isDeclined = truth.declined.contains(step.name) || current.answered != nil
            return person.linked.contains(where: link.accepts) || !link.isRequired && isDeclined
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
