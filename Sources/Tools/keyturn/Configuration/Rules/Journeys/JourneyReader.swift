internal import KeyturnBase
internal import Model

/// Reads one entry of `journeys`.
enum JourneyReader {
    static let keys = ["name", "acr", "clients", "default", "theme", "steps"]

    static func read(_ section: Section) -> Journey? {
        let name = requiredName(section)
        if let name { section.reading.declare(.journey, name) }
        let clients = (section.texts("clients") ?? []).map { client in
            section.reading.refer(to: .client, client, in: "clients", orBy: "keyturn client create")
            return client.value
        }
        let sections = section.sections("steps", keys: JourneyStepReader.keys)
        guard (1...Limits.journeyStepsMax).contains(sections.count) else {
            section.mistake(
                "steps", sections.isEmpty ? "there are none" : "there are \(sections.count)",
                "Give 1 to \(Limits.journeyStepsMax) steps.")
            return nil
        }
        let names = sections.map(requiredName)
        let steps = zip(sections, names).enumerated().map { index, pair in
            pair.1.flatMap {
                JourneyStepReader.read(
                    pair.0, name: $0.value, following: names.dropFirst(index + 1).first.flatMap { $0?.value })
            }
        }
        // A step that cannot be read says nothing about the ways.
        guard let name, !steps.contains(where: { $0 == nil }) else { return nil }
        let journey = Journey(
            name: name.value, contextClass: contextClass(section), clients: clients,
            isDefault: section.boolean("default") ?? false, steps: steps.compactMap(\.self))
        let problems = journey.problems
        for problem in problems { note(problem, section, sections, names.map { $0?.value }) }
        warnOfLanguages(journey, section)
        return problems.isEmpty ? journey : nil
    }

    /// Two journeys that a client would get without asking.
    static func checkDefaults(_ journeys: [Journey], of section: Section) {
        let defaults = journeys.filter(\.isDefault)
        for (index, journey) in defaults.enumerated() {
            let rival = defaults[..<index].first { other in
                other.clients.isEmpty == journey.clients.isEmpty
                    && (journey.clients.isEmpty || !Set(other.clients).isDisjoint(with: journey.clients))
            }
            guard let rival else { continue }
            section.mistake(
                "journeys", "\(rival.name) and \(journey.name) are both the default of a client",
                "Set default: true in one of them, or list other clients.")
        }
        let classes = journeys.compactMap(\.contextClass)
        if Set(classes).count < classes.count {
            section.mistake("journeys", "two of them have one acr", "Give each an acr of its own.")
        }
    }

    private static func requiredName(_ section: Section) -> Located<String>? {
        guard section.has("name") else {
            section.mistake("name", "it is missing", "Give it: requests, steps and records refer to it.")
            return nil
        }
        guard let text = section.text("name", bytesMax: Limits.journeyNameBytesMax),
            section.reading.check(TextRules.identifier(text.value), text)
        else { return nil }
        return text
    }

    private static func contextClass(_ section: Section) -> String? {
        guard let text = section.text("acr", bytesMax: ConfigurationLimits.nameBytesMax) else { return nil }
        let isOurs = AuthenticationFacts.classes.contains(text.value)
        let refusal =
            isOurs
            ? Refusal("the server itself uses this acr", "Choose another, such as urn:example:acr:payment.")
            : TextRules.printableASCII(text.value)
        return section.reading.check(refusal, text) ? text.value : nil
    }

    private static func note(
        _ problem: JourneyProblem, _ journey: Section, _ steps: [Section], _ names: [String?]
    ) {
        guard let name = problem.step, let index = names.lastIndex(of: name) else {
            journey.mistake("steps", problem.detail, problem.remedy)
            return
        }
        steps[index].mistake("name", problem.detail, problem.remedy)
    }

    /// A text that lacks a language in which other texts of the journey are written.
    private static func warnOfLanguages(_ journey: Journey, _ section: Section) {
        let texts = journey.steps.flatMap { step in step.allTexts.map { (step.name, $0) } }
        let languages = Set(texts.flatMap { $0.1.texts.keys })
        for (step, text) in texts {
            let missing = languages.subtracting(text.texts.keys).sorted()
            guard !missing.isEmpty else { continue }
            section.warning(
                "steps", "a text of \(step) is missing in \(missing.joined(separator: ", "))",
                "Add it: other texts of this journey have it.")
            return
        }
    }
}

extension JourneyStep {
    /// Every text of the operator in it.
    fileprivate var allTexts: [LocalizedText] {
        var texts = [title, text]
        if case .collect(let form) = kind {
            for field in form.fields {
                texts.append(field.label)
                if case .choice(let options) = field.kind { texts += options.map(\.label) }
            }
        }
        return texts.filter { !$0.isEmpty }
    }
}

extension JourneyProblem {
    /// What is wrong.
    var detail: String {
        switch self {
        case .unknownStep(_, let next): "there is no step \"\(next)\""
        case .duplicateStep(let step): "two steps are called \"\(step)\""
        case .deadEnd: "no step follows, and it is no end"
        case .unreachable: "no way leads to it"
        case .loop(let steps): "the way leads back: \(steps.joined(separator: " → "))"
        case .undecided(_, let needed):
            needed == .user
                ? "its condition is about the user, but a way to it passes no prove step"
                : "its condition is about the login ID, but a way to it passes no identify step"
        case .unproven: "it needs a user, but a way to it passes no prove step"
        case .endless: "no way leads to done"
        }
    }

    /// What to do.
    var remedy: String {
        switch self {
        case .unknownStep: "Write the name of a step of this journey."
        case .duplicateStep: "Give each step a name of its own."
        case .deadEnd: "Give next, or end with done or refuse."
        case .unreachable: "Lead to it with next, or remove it."
        case .loop: "A journey leads forward: choose a later step."
        case .undecided(_, let needed):
            needed == .user ? "Put a prove step without a condition before it." : "Put an identify step before it."
        case .unproven: "Put a prove step without a condition before it."
        case .endless: "Add a step with done: true."
        }
    }
}
