import Testing

/// Which public declarations need a comment of their own.
struct DocumentationRule {
    /// What the standard library's protocols ask for, and what they mean is said there.
    private static let understood: Set<String> = [
        "encode", "hash", "==", "<", "description", "debugDescription", "errorDescription", "customMirror", "next",
        "rawValue", "makeAsyncIterator", "makeIterator", "init(from", "init(rawValue", "init(stringLiteral",
        "init(integerLiteral", "init(booleanLiteral", "init(arrayLiteral", "init(dictionaryLiteral", "RawValue",
        "Element",
        "AsyncIterator",
    ]

    private var requirements: [String: Set<String>] = [:]
    private var inherited: [String: Set<String>] = [:]

    /// - Parameter files: Where protocols are declared: a member that one of them asks for is documented there.
    init(_ files: [SourceTree.File]) {
        for declaration in files.flatMap(Declaration.all) {
            guard let scope = declaration.scopes.last else { continue }
            inherited[scope.name, default: []].formUnion(scope.inherited)
            if scope.kind == "protocol" { requirements[scope.name, default: []].insert(declaration.name) }
        }
    }

    func undocumented(_ file: SourceTree.File) -> [Finding] {
        Declaration.all(in: file).filter { $0.isPublic && $0.kind != "extension" && !isExempt($0) }
            .filter { declaration in
                let above = file.lines[..<(declaration.line - 1)].last { !$0.drop { $0 == " " }.hasPrefix("@") }
                return above?.drop { $0 == " " }.hasPrefix("///") != true
            }
            .map { Finding(path: file.path, line: $0.line, text: "say what \($0.name) is, in a /// comment") }
    }

    private func isExempt(_ declaration: Declaration) -> Bool {
        if Self.understood.contains(declaration.name) || declaration.name == "CodingKeys" { return true }
        guard let scope = declaration.scopes.last else { return false }
        if declaration.scopes.contains(where: { $0.name == "CodingKeys" }) { return true }
        return scope.kind != "protocol"
            && protocols(of: scope).contains { requirements[$0]?.contains(declaration.name) == true }
    }

    private func protocols(of scope: Declaration.Scope) -> Set<String> {
        var found = scope.inherited.union(inherited[scope.name] ?? [])
        var open = Array(found)
        while let name = open.popLast() {
            for parent in inherited[name] ?? [] where found.insert(parent).inserted { open.append(parent) }
        }
        return found
    }
}

@Suite("Style: what is public is documented")
struct DocumentationTests {
    private static let files = SourceTree.swiftFiles(below: ["Sources/SDK", "Sources/Protocol"])

    private func findings(_ text: String) -> [Int] {
        let file = SourceTree.File(
            path: "x.swift", lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        return DocumentationRule([file]).undocumented(file).map(\.line)
    }

    @Test func `every public declaration of the libraries says what it is`() {
        let rule = DocumentationRule(Self.files)
        #expect(Self.files.flatMap(rule.undocumented) == [])
        #expect(Self.files.flatMap(Declaration.all).filter(\.isPublic).count > 2_000)
    }

    @Test func `the rule finds members, cases and requirements`() {
        #expect(findings("public struct X {\n    public let a: Int\n    let b: Int\n}") == [1, 2])
        #expect(findings("/// X.\npublic enum X {\n    case a\n    /// B.\n    case b\n}") == [3])
        #expect(findings("/// P.\npublic protocol P {\n    func a()\n}") == [3])
        #expect(findings("/// X.\n@frozen\npublic struct X {\n    public init(\n        a: Int\n    ) {}\n}") == [4])
    }

    @Test func `the rule asks for nothing that a protocol says, and nothing that is not public`() {
        #expect(
            findings(
                "/// P.\npublic protocol P {\n    /// A.\n    func a()\n}\nextension X: P {\n    public func a() {}\n}")
                == [])
        #expect(findings("enum X {\n    case a\n}\nstruct Y {\n    let a = 1\n}") == [])
        #expect(findings("/// X.\npublic struct X {\n    public var description: String { \"\" }\n}") == [])
    }
}
