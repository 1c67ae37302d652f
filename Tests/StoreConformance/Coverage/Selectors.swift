/// Names of methods with their labels, as they stand in a source: `end(_:of:reason:at:)`.
struct Selectors {
    private let characters: [Character]

    /// - Parameter text: a Swift source. Comments in it are not looked at.
    init(_ text: String) {
        let lines = text.split(separator: "\n").filter { !$0.trimmingPrefix(#/\s*/#).hasPrefix("//") }
        characters = Array(lines.joined(separator: "\n"))
    }

    /// Those that the source declares with `func`.
    var declared: [String] { selectors(after: Array("func "), isCall: false) }

    /// Those that the source calls on a value. A closure that follows counts as an argument without a label.
    var called: [String] { selectors(after: ["."], isCall: true) }

    private func selectors(after prefix: [Character], isCall: Bool) -> [String] {
        characters.indices.compactMap { index in
            guard characters[index...].starts(with: prefix) else { return nil }
            let name = characters[(index + prefix.count)...].prefix { $0.isLetter || $0.isNumber }
            guard !name.isEmpty, name.endIndex < characters.count, characters[name.endIndex] == "(",
                let (labels, end) = labels(from: name.endIndex)
            else { return nil }
            let isFollowedByClosure = isCall && characters[end...].dropFirst().first { $0 != " " } == "{"
            return "\(String(name))(\((labels + (isFollowedByClosure ? ["_"] : [])).map { "\($0):" }.joined()))"
        }
    }

    /// The labels between a parenthesis and the one that closes it.
    private func labels(from open: Int) -> (labels: [String], end: Int)? {
        var (depth, isText, argument) = (0, false, "")
        var labels: [String] = []
        for index in open..<characters.count {
            let character = characters[index]
            if character == "\"", characters[index - 1] != "\\" { isText.toggle() }
            if isText { continue }
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            let isEnd = depth == 0
            if isEnd || (depth == 1 && character == ",") {
                if let label = Self.label(of: argument) { labels.append(label) }
                argument = ""
                if isEnd { return (labels, index) }
            } else if index > open {
                // What is nested deeper has labels of its own.
                argument.append(depth == 1 ? character : "x")
            }
        }
        return nil
    }

    private static func label(of argument: String) -> String? {
        let words = argument.split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { return argument.isEmpty ? nil : "_" }
        let label = first.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = argument.drop(while: \.isWhitespace).dropFirst(label.count).drop(while: \.isWhitespace)
        // `name:` in a call, `label name:` or `name:` in a declaration.
        if rest.first == ":" { return String(label) }
        let isTwoNames = rest.drop { $0.isLetter || $0.isNumber }.first == ":" && !label.isEmpty
        return isTwoNames ? String(label) : "_"
    }
}
