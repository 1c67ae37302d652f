import Testing

/// A comment that says what one parameter is says it of all: DocC warns of each that is missing.
struct ParameterRule {
    static func findings(_ file: SourceTree.File) -> [Finding] {
        Declaration.all(in: file).filter { $0.isPublic && ["func", "init", "subscript"].contains($0.kind) }
            .compactMap { declaration in
                let documented = documented(above: declaration.line - 1, in: file.lines)
                guard !documented.isEmpty else { return nil }
                let declared = declared(from: declaration.line - 1, in: file.lines)
                let wrong = declared.symmetricDifference(documented).sorted()
                return wrong.isEmpty
                    ? nil
                    : Finding(
                        path: file.path, line: declaration.line,
                        text: "say of all parameters what they are, and of no others: \(wrong.joined(separator: ", "))")
            }
    }

    /// The parameters in the comment above a line, which is counted from 0.
    private static func documented(above line: Int, in lines: [String]) -> Set<String> {
        let above = lines[..<line].reversed().map { $0.drop { $0 == " " } }
        let comment = above.drop { $0.hasPrefix("@") }.prefix { $0.hasPrefix("///") }.reversed()
        var names: Set<String> = []
        var isInList = false
        for text in comment.map({ $0.dropFirst(3) }) {
            if let match = text.prefixMatch(of: #/ - Parameter (\w+):/#) {
                names.insert(String(match.1))
            } else if text.hasPrefix(" - ") {
                isInList = text.hasPrefix(" - Parameters:")
            } else if isInList, let match = text.prefixMatch(of: #/   - (\w+):/#) {
                names.insert(String(match.1))
            }
        }
        return names
    }

    /// The parameters of the declaration that begins on a line, which is counted from 0, by their inner names.
    private static func declared(from line: Int, in lines: [String]) -> Set<String> {
        var text = ""
        var depth = 0
        for character in lines[line...].joined(separator: " ").drop(while: { $0 != "(" }) {
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            if depth == 0 { break }
            // What stands within a parameter's type or default value has names of its own.
            if depth == 1 { text.append(character) }
        }
        let names = text.dropFirst().matches(of: #/(?:^|,)\s*(?:@\w+\s+)*(?:\w+\s+)?(\w+)\s*:/#)
        return Set(names.map { String($0.1) })
    }
}

extension DocumentationTests {
    @Test func `a comment that says what one parameter is says it of all`() {
        #expect(SourceTree.swiftFiles(below: ["Sources/SDK"]).flatMap(ParameterRule.findings) == [])
    }

    @Test(arguments: [
        ("    ///   - a: A.\n    public init(a: Int, _ b: [String: Int] = [:]) {}", false),
        ("    ///   - a: A.\n    ///   - b: B.\n    public init(a: Int, _ b: [String: Int] = [:]) {}", true),
        ("    ///   - a: A.\n    ///   - c: C.\n    @x\n    public func f(a: (c: Int) -> Void) {}", false),
        ("    ///   - b: B.\n    /// - Returns: c.\n    public func f<T>(\n        of b: T\n    ) -> Int {}", true),
    ])
    func `the rule finds what is missing, and what is not there`(_ text: String, _ isRight: Bool) {
        let whole = "/// X.\npublic struct X {\n    /// - Parameters:\n\(text)\n}"
        let file = SourceTree.File(path: "x.swift", lines: whole.split(separator: "\n").map(String.init))
        #expect(ParameterRule.findings(file).isEmpty == isRight)
    }
}
