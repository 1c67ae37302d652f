/// One declaration of a Swift file, found by the indentation that the formatter guarantees.
struct Declaration {
    /// A type, an extension or a protocol around a declaration.
    struct Scope {
        let indentation: Int
        let kind: String
        let name: String
        let isPublic: Bool
        /// What stands behind the colon.
        let inherited: Set<String>
    }

    /// Counted from 1.
    let line: Int
    let kind: String
    /// As it is written; of an initialiser `init(` and its first label.
    let name: String
    let isPublic: Bool
    /// From the outermost to the innermost.
    let scopes: [Scope]

    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "open", "final", "static", "indirect", "nonisolated",
        "mutating", "convenience", "required", "override", "lazy", "weak", "internal(set)", "private(set)",
    ]
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "actor", "protocol", "extension", "func", "var", "let", "init", "subscript", "case",
        "typealias", "associatedtype",
    ]
    private static let types: Set<String> = ["struct", "class", "enum", "actor", "protocol", "extension"]

    /// Every declaration outside of functions.
    static func all(in file: SourceTree.File) -> [Declaration] {
        var result: [Declaration] = []
        var scopes: [Scope] = []
        var isInText = false
        for (index, line) in file.lines.enumerated() {
            let text = line.drop { $0 == " " }
            if line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count == 2 { isInText.toggle() }
            guard !isInText, let first = text.first, !text.hasPrefix("//"), first != "#" else { continue }
            let indentation = line.count - text.count
            if first != "{", !text.hasPrefix("where ") {
                while let scope = scopes.last, indentation <= scope.indentation { scopes.removeLast() }
            }
            guard indentation == scopes.last.map({ $0.indentation + 4 }) ?? 0,
                let found = Declaration(text, file.lines, index, scopes)
            else { continue }
            result.append(found)
            if types.contains(found.kind), !(text.contains("{") && text.hasSuffix("}")) {
                scopes.append(found.scope(text, file.lines, index, indentation))
            }
        }
        return result
    }

    private init?(_ text: Substring, _ lines: [String], _ index: Int, _ scopes: [Scope]) {
        var words = text.split(separator: " ")[...]
        var isPublic = false
        while let word = words.first, Self.modifiers.contains(word) || word.hasPrefix("@") {
            isPublic = isPublic || word == "public" || word == "open"
            words.removeFirst()
        }
        guard let word = words.first else { return nil }
        let kind = word.prefix { $0.isLetter }
        guard Self.kinds.contains(kind) else { return nil }
        let rest = words.joined(separator: " ").dropFirst(kind.count)
        if kind == "init" {
            let arguments = rest.drop { $0 != "(" }.dropFirst()
            let next = arguments.isEmpty && index + 1 < lines.count ? Substring(lines[index + 1]) : arguments
            name = "init(" + next.drop { $0 == " " }.prefix { $0.isLetter || $0 == "_" }
        } else {
            let start = rest.drop { $0 == " " || $0 == "`" }
            let isOperator = start.first.map { !$0.isLetter && $0 != "_" } ?? false
            name = String(start.prefix { isOperator ? $0 != " " : !" (<:=,{?`".contains($0) })
        }
        let inner = scopes.last
        self.kind = String(kind)
        self.isPublic =
            isPublic || (kind == "case" || inner?.kind == "protocol") && inner?.isPublic == true
        self.scopes = scopes
        line = index + 1
    }

    private func scope(_ text: Substring, _ lines: [String], _ index: Int, _ indentation: Int) -> Scope {
        let head = lines[index...].prefix(6).joined(separator: " ").prefix { $0 != "{" }
        let behind = head.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
        let inherited = behind.split { !$0.isLetter && !$0.isNumber }.map(String.init).filter {
            $0.first?.isUppercase == true
        }
        return Scope(
            indentation: indentation, kind: kind, name: name.split(separator: ".").last.map(String.init) ?? name,
            isPublic: isPublic, inherited: Set(inherited))
    }
}
