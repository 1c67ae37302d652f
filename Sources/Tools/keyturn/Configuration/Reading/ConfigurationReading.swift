internal import KeyturnBase

/// What is known while one configuration is read: the problems so far, and the names that point at each other.
///
/// A class, because every section of the file adds to the same notes; it lives for one call and never leaves it.
final class ConfigurationReading {
    /// Things with names that must be unique.
    enum Noun: String {
        case client = "client_id"
        case loginID = "login ID"
        case subject = "sub"
        case tenant = "tenant"
        case role = "role"
        case connection = "connection"
        case publishableKey = "publishable_key", relyingParty = "rp_id"
        case managementKey = "management key"
        case migrationIssuer = "issuer of other sessions"
        case journey
    }

    private struct Name: Hashable {
        let noun: Noun
        let text: String
    }

    private struct Reference {
        let name: Name
        let path: String
        let origin: ConfigurationProblem.Origin
        let section: String
        let command: String?
    }

    /// What `dev` says: some addresses and lifetimes are allowed then that are refused otherwise.
    var isDevelopment = false
    /// The issuer; `nil`: the address that the server listens on.
    var issuer: String?
    /// The environment, for secrets in lists, which name their variable.
    var environment: [String: String] = [:]
    /// The folder of the file, where files beside it are looked for; `nil`: the working directory.
    var folder: String?
    /// The algorithms that the project signs with.
    var signingAlgorithms: [String] = []
    private var problems: [ConfigurationProblem] = []
    private var counts: [ConfigurationProblem.Severity: Int] = [:]
    private var noted: Set<ConfigurationProblem> = []
    private var declared: [Name: String] = [:]
    private var references: [Reference] = []

    /// Whether further mistakes would go unreported, so that looking for a remedy is wasted.
    var isFull: Bool { counts[.mistake, default: 0] >= ConfigurationLimits.problemsMax }

    func mistake(_ path: String, at origin: ConfigurationProblem.Origin, _ detail: String, _ remedy: String) {
        note(.mistake, path, origin, detail, remedy)
    }

    func warning(_ path: String, at origin: ConfigurationProblem.Origin, _ detail: String, _ remedy: String) {
        note(.warning, path, origin, detail, remedy)
    }

    /// Notes a refusal, if there is one. Returns whether the value may be used.
    @discardableResult
    func check(_ refusal: Refusal?, _ value: Located<some Any>) -> Bool {
        guard let refusal else { return true }
        mistake(value.path, at: value.origin, refusal.detail, refusal.remedy)
        return false
    }

    /// Notes that a name is taken; taking it twice is a mistake. `shown` is how the message writes it.
    func declare(_ noun: Noun, _ name: Located<String>, shown: Bool = true) {
        let key = Name(noun: noun, text: name.value)
        guard let first = declared.updateValue(name.path, forKey: key) else { return }
        declared[key] = first
        let quoted = shown ? " \"\(Printable.text(name.value))\"" : ""
        mistake(
            name.path, at: name.origin, "the \(noun.rawValue)\(quoted) is already used at \(first)",
            "Each must be different: change or remove one of them.")
    }

    /// Notes that a name must exist, in a section that may come later.
    ///
    /// - Parameter command: makes the name in the database, so that a name which the file lacks is only doubtful.
    func refer(to noun: Noun, _ name: Located<String>, in section: String, orBy command: String? = nil) {
        references.append(
            Reference(
                name: Name(noun: noun, text: name.value), path: name.path, origin: name.origin, section: section,
                command: command))
    }

    /// Everything that was found, in the order of the file; judges the references first.
    func finish() -> [ConfigurationProblem] {
        for reference in references where declared[reference.name] == nil && !isFull {
            let names = declared.keys.filter { $0.noun == reference.name.noun }.map(\.text).sorted()
            let hint = Suggestion.nearest(to: reference.name.text, among: names).map { "Did you mean \"\($0)\"?" }
            if let command = reference.command {
                warning(
                    reference.path, at: reference.origin,
                    "this file has no \(reference.name.noun.rawValue) \"\(Printable.text(reference.name.text))\"",
                    hint ?? "Add it under \"\(reference.section)\", or make it by `\(command)`.")
                continue
            }
            mistake(
                reference.path, at: reference.origin,
                "there is no \(reference.name.noun.rawValue) \"\(Printable.text(reference.name.text))\"",
                hint ?? "Add it under \"\(reference.section)\", or remove it here.")
        }
        references = []
        return problems.enumerated()
            .sorted { (rank($0.element.origin), $0.offset) < (rank($1.element.origin), $1.offset) }
            .map(\.element)
    }

    private func rank(_ origin: ConfigurationProblem.Origin) -> Int {
        switch origin {
        case .environment: -1
        case .whole: 0
        case .file(let line, let column): line << 24 | min(column, 0xFF_FFFF)
        }
    }

    private func note(
        _ severity: ConfigurationProblem.Severity, _ path: String, _ origin: ConfigurationProblem.Origin,
        _ detail: String, _ remedy: String
    ) {
        // Counted apart: a mistake must not go unnoticed behind many warnings.
        guard counts[severity, default: 0] < ConfigurationLimits.problemsMax else { return }
        let problem = ConfigurationProblem(
            severity: severity, origin: origin, path: path, detail: detail, remedy: remedy)
        // A key that two rules look at is judged twice, and reported once.
        guard noted.insert(problem).inserted else { return }
        problems.append(problem)
        counts[severity, default: 0] += 1
    }
}

/// A value with its place in the configuration.
struct Located<Value> {
    let value: Value
    let path: String
    let origin: ConfigurationProblem.Origin
}

/// Texts of the file as they may appear in a message.
enum Printable {
    /// At most 80 characters; what is not seen, such as control characters, stands as its code point: a file must not
    /// steer the terminal that shows its faults, nor hide one.
    static func text(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.prefix(80))
        return VisibleText.shown(String(scalars)) + (text.unicodeScalars.count > 80 ? "…" : "")
    }
}
