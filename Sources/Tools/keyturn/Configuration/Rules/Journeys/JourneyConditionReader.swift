internal import Model

/// Reads `when`: all of its keys must hold.
enum JourneyConditionReader {
    static let keys = [
        "domain", "input", "tenant", "new_user", "has", "lacks", "used", "enrolled", "not_enrolled", "older_than",
        "risk", "not",
    ]

    static func read(_ section: Section) -> JourneyCondition? {
        var conditions: [JourneyCondition] = []
        if let domains = section.texts("domain") {
            conditions.append(.domain(Set(domains.map { $0.value.lowercased() })))
        }
        if section.has("input") {
            guard let inputs = inputs(section) else { return nil }
            conditions.append(inputs)
        }
        if let tenants = section.texts("tenant") { conditions.append(.tenant(Set(tenants.map(\.value)))) }
        if let isNew = section.boolean("new_user") { conditions.append(isNew ? .newUser : .not(.newUser)) }
        if let names = section.texts("has") { conditions.append(.has(Set(names.map(\.value)))) }
        // Lacks any of them.
        if let names = section.texts("lacks") { conditions.append(.not(.has(Set(names.map(\.value))))) }
        let ofMethods: [(String, (Set<AuthenticationMethod>) -> JourneyCondition)] = [
            ("used", { .used($0) }), ("enrolled", { .enrolled($0) }), ("not_enrolled", { .not(.enrolled($0)) }),
        ]
        for (key, make) in ofMethods {
            guard let texts = section.texts(key) else { continue }
            let methods = JourneyMethods.read(texts, section)
            guard methods.count == Set(texts.map(\.value)).count else { return nil }
            conditions.append(make(methods))
        }
        if let seconds = section.integer("older_than", within: 0...ConfigurationLimits.lifetimeSecondsMax) {
            conditions.append(.olderThan(seconds: Int64(seconds)))
        }
        if let signals = section.texts("risk") {
            let known = signals.compactMap { signal -> RiskSignal? in
                if let known = RiskSignal(rawValue: signal.value) { return known }
                section.reading.mistake(
                    signal.path, at: signal.origin, "there is no such signal",
                    "Choose from: \(RiskSignal.allCases.map(\.rawValue).joined(separator: ", ")).")
                return nil
            }
            guard !known.isEmpty, known.count == signals.count else {
                if signals.isEmpty {
                    section.mistake("risk", "the list is empty", "Name at least one signal, such as new_device.")
                }
                return nil
            }
            conditions.append(.risk(Set(known)))
        }
        if section.has("not") {
            guard let inner = section.section("not", keys: keys).flatMap(read) else { return nil }
            conditions.append(.not(inner))
        }
        // A key that cannot be read would make the condition hold more often.
        guard !conditions.isEmpty, conditions.count == section.keys.count else {
            if section.keys.isEmpty {
                section.mistake("when", "it says nothing", "Give one of: \(keys.joined(separator: ", ")).")
            }
            return nil
        }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    /// `input: {name: [values]}`; `nil` after a mistake.
    private static func inputs(_ section: Section) -> JourneyCondition? {
        guard let inner = section.section("input", keys: nil) else { return nil }
        let conditions = inner.keys.compactMap { name in
            inner.texts(name).map { JourneyCondition.input(name, Set($0.map(\.value))) }
        }
        guard !inner.keys.isEmpty else {
            section.mistake("input", "it names no input", "Give a name and its values, such as plan: [team].")
            return nil
        }
        guard conditions.count == inner.keys.count else { return nil }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }
}
