/// One thing that is wrong with a configuration: where it is, what it is, and what to do about it.
///
/// Its texts hold no secret: they name keys, addresses and identifiers, never passwords.
struct ConfigurationProblem: Error, Hashable, Sendable {
    /// Whether the program may start nevertheless.
    enum Severity: String, Hashable, Sendable {
        /// The configuration is refused.
        case mistake
        /// The configuration is accepted, though it may not do what its author expects.
        case warning
    }

    /// Where the offending text stands.
    enum Origin: Hashable, Sendable {
        /// Line and column, both from 1; columns count Unicode scalars.
        case file(line: Int, column: Int)
        /// An environment variable, by name.
        case environment(String)
        /// Nowhere in particular: the file as a whole, or a default.
        case whole
    }

    let severity: Severity
    let origin: Origin
    /// The key, such as `clients[2].redirect_uris[0]`; empty for the file as a whole.
    let path: String
    /// What is wrong, without a final stop.
    let detail: String
    /// What to do about it, as a whole sentence.
    let remedy: String
}

/// Everything that is wrong with a configuration, in the order of the file.
struct ConfigurationProblems: Error, Sendable {
    /// The file's name, as it was given.
    let file: String
    /// Mistakes and warnings.
    let all: [ConfigurationProblem]

    var mistakes: [ConfigurationProblem] { all.filter { $0.severity == .mistake } }
    var warnings: [ConfigurationProblem] { all.filter { $0.severity == .warning } }
}

/// Why one text is not what it should be; the caller knows which key it belongs to.
struct Refusal: Error, Hashable, Sendable {
    /// What is wrong, without a final stop.
    let detail: String
    /// What to do about it, as a whole sentence.
    let remedy: String

    init(_ detail: String, _ remedy: String) {
        self.detail = detail
        self.remedy = remedy
    }
}

extension Refusal: CustomStringConvertible {
    var description: String { "\(detail). \(remedy)" }
}
