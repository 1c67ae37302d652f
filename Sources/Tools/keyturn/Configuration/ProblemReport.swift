private import KeyturnBase

/// Problems as people and as programs read them.
struct ProblemReport: Sendable {
    let file: String
    let problems: [ConfigurationProblem]

    init(file: String, problems: [ConfigurationProblem]) {
        self.file = file
        self.problems = problems
    }

    init(_ problems: ConfigurationProblems) {
        self.init(file: problems.file, problems: problems.all)
    }

    /// One line per problem, each beginning with `FILE:LINE:COLUMN:`, so that editors can jump to it.
    var text: String {
        problems.map(line).joined(separator: "\n")
    }

    /// One object: `file`, `valid`, `mistakes` and `warnings`; each problem with `path`, `problem`, `remedy` and
    /// either `line` and `column` or `variable`.
    var json: String {
        let mistakes = problems.filter { $0.severity == .mistake }
        let warnings = problems.filter { $0.severity == .warning }
        let object: JSONValue = .object([
            "file": .string(file), "valid": .bool(mistakes.isEmpty),
            "mistakes": .array(mistakes.map(value)), "warnings": .array(warnings.map(value)),
        ])
        return String(decoding: object.serialized, as: UTF8.self)
    }

    private func line(_ problem: ConfigurationProblem) -> String {
        var parts: [String] = []
        switch problem.origin {
        case .file(let line, let column): parts.append("\(file):\(line):\(column)")
        case .environment(let variable): parts.append(variable)
        case .whole: parts.append(file)
        }
        if problem.severity == .warning { parts.append("warning") }
        if !problem.path.isEmpty { parts.append(problem.path) }
        parts.append("\(problem.detail). \(problem.remedy)")
        return parts.joined(separator: ": ")
    }

    private func value(_ problem: ConfigurationProblem) -> JSONValue {
        var members: [String: JSONValue] = [
            "path": .string(problem.path), "problem": .string(problem.detail), "remedy": .string(problem.remedy),
        ]
        switch problem.origin {
        case .file(let line, let column):
            members["line"] = .integer(Int64(line))
            members["column"] = .integer(Int64(column))
        case .environment(let variable): members["variable"] = .string(variable)
        case .whole: break
        }
        return .object(members)
    }
}
