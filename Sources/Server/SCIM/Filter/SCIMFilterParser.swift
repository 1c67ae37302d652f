internal import KeyturnBase
package import Model

/// Reads filters and the paths of PATCH (RFC 7644 §3.4.2.2, §3.5.2), within bounds.
package struct SCIMFilterParser: Sendable {
    private enum Token: Hashable {
        case word(String)
        case text(String)
        case open, close, openElement, closeElement
    }

    private let kind: SCIMRecord.Kind
    private var tokens: [Token] = []
    private var position = 0
    private var terms = 0
    private var depth = 0

    private init(_ text: String, _ kind: SCIMRecord.Kind, _ problem: SCIMProblem.Kind) throws(SCIMProblem) {
        guard text.utf8.count <= Limits.scimFilterBytesMax else {
            throw SCIMProblem(400, problem, "The filter is longer than \(Limits.scimFilterBytesMax) bytes.")
        }
        self.kind = kind
        guard let tokens = Self.tokens(text) else { throw SCIMProblem(400, problem, "A text has no end.") }
        self.tokens = tokens
    }

    /// Reads a filter.
    ///
    /// - Throws: `invalidFilter`.
    package static func filter(_ text: String, _ kind: SCIMRecord.Kind) throws(SCIMProblem) -> SCIMFilterNode {
        var parser = try SCIMFilterParser(text, kind, .invalidFilter)
        let node = try parser.alternatives(in: nil)
        guard parser.position == parser.tokens.count else { throw parser.unexpected }
        return node
    }

    /// Reads a path: an attribute, with a filter in brackets and a sub-attribute behind them.
    ///
    /// - Throws: `invalidPath`, `invalidFilter`.
    package static func path(_ text: String, _ kind: SCIMRecord.Kind) throws(SCIMProblem) -> SCIMTarget {
        let invalid = SCIMProblem(400, .invalidPath, "The path names no attribute of the schema.")
        var parser = try SCIMFilterParser(text, kind, .invalidPath)
        guard case .word(let name)? = parser.next(), let path = SCIMPath(name, kind) else { throw invalid }
        guard parser.position < parser.tokens.count else { return SCIMTarget(path: path, filter: nil) }
        guard parser.take(.openElement), path.last.isMultiValued else { throw invalid }
        let filter = try parser.alternatives(in: path)
        guard parser.take(.closeElement) else { throw invalid }
        guard parser.position < parser.tokens.count else { return SCIMTarget(path: path, filter: filter) }
        guard case .word(let rest)? = parser.next(), rest.hasPrefix("."), parser.position == parser.tokens.count,
            let part = path.last.part(String(rest.dropFirst()))
        else { throw invalid }
        return SCIMTarget(path: SCIMPath(path.steps + [part]), filter: filter)
    }

    private var unexpected: SCIMProblem { SCIMProblem(400, .invalidFilter, "The filter cannot be read.") }

    private mutating func next() -> Token? {
        guard position < tokens.count else { return nil }
        position += 1
        return tokens[position - 1]
    }

    private mutating func take(_ token: Token) -> Bool {
        guard position < tokens.count, tokens[position] == token else { return false }
        position += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard position < tokens.count, case .word(let text) = tokens[position], text.lowercased() == word else {
            return false
        }
        position += 1
        return true
    }

    private mutating func alternatives(in scope: SCIMPath?) throws(SCIMProblem) -> SCIMFilterNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Limits.scimFilterDepthMax else {
            throw SCIMProblem(400, .invalidFilter, "The filter is nested too deeply.")
        }
        var parts = [try conjunction(in: scope)]
        while take(word: "or") { parts.append(try conjunction(in: scope)) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction(in scope: SCIMPath?) throws(SCIMProblem) -> SCIMFilterNode {
        var parts = [try term(in: scope)]
        while take(word: "and") { parts.append(try term(in: scope)) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func term(in scope: SCIMPath?) throws(SCIMProblem) -> SCIMFilterNode {
        if take(.open) { return try group(in: scope) }
        let start = position
        if take(word: "not") {
            if take(.open) { return .not(try group(in: scope)) }
            position = start
        }
        guard case .word(let name)? = next() else { throw unexpected }
        terms += 1
        guard terms <= Limits.scimFilterTermsMax else {
            throw SCIMProblem(400, .invalidFilter, "The filter has more than \(Limits.scimFilterTermsMax) comparisons.")
        }
        let path = try path(name, in: scope)
        guard take(.openElement) else { return try comparison(of: path) }
        guard scope == nil, path.last.isMultiValued else { throw unexpected }
        let inner = try alternatives(in: path)
        guard take(.closeElement) else { throw unexpected }
        // Entra asks for `emails[type eq "work"].value eq "…"`.
        guard position < tokens.count, case .word(let rest) = tokens[position], rest.hasPrefix(".") else {
            return .element(path, inner)
        }
        position += 1
        guard let part = path.last.part(String(rest.dropFirst())) else { throw unexpected }
        return .element(path, .and([inner, try comparison(of: SCIMPath(path.steps + [part]))]))
    }

    private mutating func group(in scope: SCIMPath?) throws(SCIMProblem) -> SCIMFilterNode {
        let node = try alternatives(in: scope)
        guard take(.close) else { throw unexpected }
        return node
    }

    private func path(_ name: String, in scope: SCIMPath?) throws(SCIMProblem) -> SCIMPath {
        if let scope {
            if let part = scope.last.part(name) { return SCIMPath(scope.steps + [part]) }
            if scope.last.parts.isEmpty, name.lowercased() == "value" { return scope }
        } else if let path = SCIMPath(name, kind) {
            return path
        }
        throw SCIMProblem(400, .invalidFilter, "The filter names an attribute that the schema does not have.")
    }

    private mutating func comparison(of path: SCIMPath) throws(SCIMProblem) -> SCIMFilterNode {
        guard case .word(let word)? = next() else { throw unexpected }
        if word.lowercased() == "pr" { return .present(path) }
        guard let comparison = SCIMFilterNode.Comparison(rawValue: word.lowercased()) else { throw unexpected }
        switch next() {
        case .text(let text)?: return .compare(path, comparison, .string(text))
        case .word(let word)?:
            guard let value = try? JSONValue(parsing: word.lowercased().utf8) else { throw unexpected }
            return .compare(path, comparison, value)
        default: throw unexpected
        }
    }

    /// - Returns: `nil` for a text without an end.
    private static func tokens(_ text: String) -> [Token]? {
        let bytes = Array(text.utf8)
        let marks: [UInt8: Token] = [
            UInt8(ascii: "("): .open, UInt8(ascii: ")"): .close, UInt8(ascii: "["): .openElement,
            UInt8(ascii: "]"): .closeElement,
        ]
        let (space, quote, escape) = (UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "\\"))
        var result: [Token] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let start = index
            index += 1
            if byte == space { continue }
            if let mark = marks[byte] {
                result.append(mark)
            } else if byte == quote {
                while index < bytes.count, bytes[index] != quote { index += bytes[index] == escape ? 2 : 1 }
                guard index < bytes.count, let value = try? JSONValue(parsing: bytes[start...index]),
                    let text = value.stringValue
                else { return nil }
                index += 1
                result.append(.text(text))
            } else {
                while index < bytes.count, bytes[index] != space, bytes[index] != quote, marks[bytes[index]] == nil {
                    index += 1
                }
                result.append(.word(String(decoding: bytes[start..<index], as: UTF8.self)))
            }
        }
        return result
    }
}

/// What an operation of PATCH is about.
package struct SCIMTarget: Hashable, Sendable {
    package let path: SCIMPath
    /// Which elements of the multi-valued attribute in the path.
    package let filter: SCIMFilterNode?

    package init(path: SCIMPath, filter: SCIMFilterNode?) {
        self.path = path
        self.filter = filter
    }
}
