/// A mistake in a journey.
public enum JourneyProblem: Hashable, Sendable {
    /// There is no step of this name.
    case unknownStep(step: String, next: String)
    case duplicateStep(String)
    /// No step follows, but it is no end.
    case deadEnd(String)
    /// No way leads to it.
    case unreachable(String)
    /// The way leads back to a step that was passed.
    case loop([String])
    /// Its condition is about something that a way to it leaves unknown.
    case undecided(step: String, JourneyKnowledge)
    /// A way to it leads past every proof.
    case unproven(String)
    /// No way leads to `done`.
    case endless

    /// The step that it is about; `nil`: the journey.
    public var step: String? {
        switch self {
        case .unknownStep(let step, _), .duplicateStep(let step), .deadEnd(let step), .unreachable(let step),
            .undecided(let step, _), .unproven(let step):
            step
        case .loop(let steps): steps.first
        case .endless: nil
        }
    }
}

extension Journey {
    /// Every mistake, in the order of the steps; empty: the journey can run.
    public var problems: [JourneyProblem] {
        let names = steps.map(\.name)
        let duplicates = Set(names.filter { name in names.count { $0 == name } > 1 })
        var problems = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            .filter(duplicates.contains).map(JourneyProblem.duplicateStep)
        for step in steps {
            problems += step.followers.filter { self.step($0) == nil }.map { .unknownStep(step: step.name, next: $0) }
            if step.next == nil, !step.kind.isEnd, !isCall(step) { problems.append(.deadEnd(step.name)) }
        }
        // What follows would only repeat these mistakes.
        guard problems.isEmpty else { return problems }
        if let loop { return [.loop(loop)] }
        let known = knowledge
        for step in steps {
            guard let least = known[step.name] else {
                problems.append(.unreachable(step.name))
                continue
            }
            if let needed = step.knowledgeNeeded, needed > least {
                problems.append(.undecided(step: step.name, needed))
            }
            if step.needsUser, least < .user { problems.append(.unproven(step.name)) }
        }
        if !steps.contains(where: { $0.kind == .done && known[$0.name] != nil }) { problems.append(.endless) }
        return problems
    }

    private func isCall(_ step: JourneyStep) -> Bool {
        if case .call = step.kind { true } else { false }
    }

    /// The steps of a way that leads back to its first; `nil`: there is none.
    private var loop: [String]? {
        var finished: Set<String> = []
        func visit(_ name: String, _ path: [String]) -> [String]? {
            if let start = path.firstIndex(of: name) { return Array(path[start...]) + [name] }
            guard !finished.contains(name) else { return nil }
            for next in step(name)?.followers ?? [] {
                if let loop = visit(next, path + [name]) { return loop }
            }
            finished.insert(name)
            return nil
        }
        for step in steps {
            if let loop = visit(step.name, []) { return loop }
        }
        return nil
    }

    /// What is known when a step begins, by the way that learns least; a step that no way leads to has no entry.
    private var knowledge: [String: JourneyKnowledge] {
        var known: [String: JourneyKnowledge] = [:]
        func visit(_ name: String, _ before: JourneyKnowledge) {
            guard known[name].map({ before < $0 }) ?? true, let step = step(name) else { return }
            known[name] = before
            // A step that is passed over teaches nothing.
            let after = step.condition == nil ? max(before, step.kind.teaches) : before
            for next in step.followers { visit(next, after) }
        }
        if let first = steps.first { visit(first.name, .nothing) }
        return known
    }
}

extension JourneyStep {
    /// What its conditions need; `nil`: it has none.
    fileprivate var knowledgeNeeded: JourneyKnowledge? {
        var needed = condition.map { [$0.needs] } ?? []
        if case .decide(let branches) = kind { needed += branches.map(\.condition.needs) }
        return needed.max()
    }

    /// Whether it works on a user, whom a proof must have shown before.
    fileprivate var needsUser: Bool {
        switch kind {
        case .stepUp, .collect, .accept, .link, .call, .chooseTenant, .done: true
        case .identify, .prove, .create, .decide, .refuse: false
        }
    }
}

extension JourneyStepKind {
    fileprivate var teaches: JourneyKnowledge {
        switch self {
        case .identify: .identifier
        case .prove, .create: .user
        default: .nothing
        }
    }
}
