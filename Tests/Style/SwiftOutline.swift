/// What a Swift file declares for others, and its words.
struct SwiftOutline {
    struct Declaration: Hashable {
        let name: String
        /// What it is declared in: `A.B` in `extension A.B { … }`; empty at the top of the file.
        let outer: String
        let isType: Bool
        /// Whether an extension declares it, and not the type itself.
        let isInExtension: Bool
    }

    let declarations: Set<Declaration>
    let words: [SwiftWords.Word]
    /// The types that this file extends.
    let extended: Set<String>

    /// What its types and extensions call their members.
    var members: Set<String> { Set(declarations.lazy.filter { !$0.isType && !$0.outer.isEmpty }.map(\.name)) }

    init(_ text: String) {
        words = SwiftWords.read(text)
        var reader = OutlineReader(words: words)
        reader.read()
        declarations = reader.declarations
        extended = reader.extended
    }
}

/// Follows the braces: what a function declares inside itself is no member.
private struct OutlineReader {
    private enum Kind {
        case type, extended
        /// A function, a closure or an accessor.
        case code
    }

    private struct Body {
        var kind: Kind
        var name: String
        /// How many parentheses were open around its brace.
        var parentheses: Int
    }

    let words: [SwiftWords.Word]
    var declarations: Set<SwiftOutline.Declaration> = []
    var extended: Set<String> = []
    private var bodies: [Body] = []
    /// Whose `{` comes next.
    private var expected: (kind: Kind, name: String)?
    private var parentheses = 0
    /// Whether the line lists cases of an enum.
    private var casesLine: Int?

    init(words: [SwiftWords.Word]) {
        self.words = words
    }

    private static let typeWords: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let memberWords: Set<String> = ["func", "var", "let", "case"]

    mutating func read() {
        for (index, word) in words.enumerated() {
            switch word.text {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{": open()
            case "}":
                parentheses = bodies.popLast()?.parentheses ?? 0
                expected = nil
            default:
                if parentheses == 0, bodies.last?.kind != .code { declare(at: index) }
            }
        }
    }

    private mutating func open() {
        let next = parentheses == 0 ? expected : nil
        bodies.append(Body(kind: next?.kind ?? .code, name: next?.name ?? "", parentheses: parentheses))
        parentheses = 0
        expected = nil
    }

    private mutating func declare(at index: Int) {
        guard index + 1 < words.count else { return }
        let (word, next) = (words[index], words[index + 1])
        let before = index > 0 ? words[index - 1].text : ""
        if before == ",", let line = casesLine, word.isName, word.line - line <= 1 {
            casesLine = word.line
            return add(word.text, isType: false)
        }
        guard word.isName, before != ".", before != "import" else { return }
        if word.text == "extension" {
            let name = next.isName ? chain(from: index + 1) : ""
            extended.insert(name)
            expected = (.extended, name)
        } else if Self.typeWords.contains(word.text), next.startsUppercase {
            add(next.text, isType: true)
            if word.text != "typealias" { expected = (.type, next.text) }
        } else if Self.memberWords.contains(word.text), next.isName {
            add(next.text, isType: false)
            casesLine = word.text == "case" ? next.line : nil
        }
    }

    /// `A.B.C` as it is written.
    private func chain(from start: Int) -> String {
        var (name, index) = (words[start].text, start + 1)
        while index + 1 < words.count, words[index].text == ".", words[index + 1].isName {
            name += "." + words[index + 1].text
            index += 2
        }
        return name
    }

    private mutating func add(_ name: String, isType: Bool) {
        declarations.insert(
            .init(
                name: name, outer: bodies.map(\.name).joined(separator: "."), isType: isType,
                isInExtension: bodies.last?.kind == .extended))
    }
}
