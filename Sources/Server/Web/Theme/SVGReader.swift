/// Takes an SVG file apart: strict XML 1.0 without a document type, so that no entity can be declared.
struct SVGReader {
    struct Attribute: Equatable {
        let name: String
        /// With references replaced.
        let value: String
    }

    enum Part: Equatable {
        case start(name: String, attributes: [Attribute], isEmpty: Bool)
        case end(name: String)
        case text(String)
    }

    private var rest: Substring.UnicodeScalarView
    private var isAtStart = true

    init(_ text: String) {
        rest = Substring(text).unicodeScalars
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
    }

    /// The next part; `nil` at the end. Comments are left out.
    mutating func next() throws(LogoProblem) -> Part? {
        while !rest.isEmpty {
            let wasAtStart = isAtStart
            isAtStart = false
            guard take("<") else { return .text(try references(in: until("<", orEnd: true))) }
            if take("?") {
                let target = try until("?>")
                guard wasAtStart, target.hasPrefix("xml "), !target.contains("<") else {
                    throw .plain("it has a processing instruction, <?\(Self.shown(target))…")
                }
            } else if take("!--") {
                _ = try until("-->")
            } else if take("![CDATA[") {
                return .text(try until("]]>"))
            } else if take("!") {
                throw .plain("it has <!\(Self.shown(String(rest.prefix(8).map(Character.init))))…, a declaration")
            } else if take("/") {
                let name = try self.name()
                skipSpace()
                guard take(">") else { throw .damaged("the end of <\(Self.shown(name))> is not closed") }
                return .end(name: name)
            } else {
                return try start()
            }
        }
        return nil
    }

    private mutating func start() throws(LogoProblem) -> Part {
        let name = try self.name()
        var attributes: [Attribute] = []
        while true {
            let hadSpace = skipSpace()
            if take("/>") { return .start(name: name, attributes: attributes, isEmpty: true) }
            if take(">") { return .start(name: name, attributes: attributes, isEmpty: false) }
            guard hadSpace else { throw .damaged("<\(Self.shown(name))> is not well-formed") }
            let key = try self.name()
            skipSpace()
            guard take("=") else { throw .damaged("the attribute \(Self.shown(key)) has no value") }
            skipSpace()
            guard let quote = ["\"", "'"].first(where: { take($0) }) else {
                throw .damaged("the value of \(Self.shown(key)) is not in quotes")
            }
            let value = try until(quote)
            guard !value.contains("<"), !attributes.contains(where: { $0.name == key }) else {
                throw .damaged("the attribute \(Self.shown(key)) is not well-formed")
            }
            attributes.append(Attribute(name: key, value: try references(in: value)))
        }
    }

    /// ASCII: that is what the names of SVG are, and nothing that looks like one can slip through.
    private mutating func name() throws(LogoProblem) -> String {
        let name = rest.prefix { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789:-_.".unicodeScalars.contains(scalar))
        }
        guard let first = name.first, first.properties.isAlphabetic || first == "_" else {
            throw .damaged("it is no well-formed XML")
        }
        rest = rest[name.endIndex...]
        return String(Substring(name))
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest.removeFirst(text.unicodeScalars.count)
        return true
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let space = rest.prefix { " \t\r\n".unicodeScalars.contains($0) }
        rest = rest[space.endIndex...]
        return !space.isEmpty
    }

    /// What stands before a mark, and takes the mark; with `orEnd` the mark stays, and may be missing.
    private mutating func until(_ mark: String, orEnd: Bool = false) throws(LogoProblem) -> String {
        let scalars = Array(mark.unicodeScalars)
        var index = rest.startIndex
        while index < rest.endIndex {
            if rest[index] == scalars[0], rest[index...].starts(with: scalars) { break }
            index = rest.index(after: index)
        }
        guard index < rest.endIndex || orEnd else { throw .damaged("\(mark) is missing") }
        let text = String(Substring(rest[..<index]))
        rest = orEnd ? rest[index...] : rest[index...].dropFirst(scalars.count)
        return text
    }

    /// Replaces the references that XML itself knows (XML 1.0 §4.6) and those to characters.
    private func references(in text: String) throws(LogoProblem) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var parts = text.split(separator: "&", omittingEmptySubsequences: false)[...]
        result += parts.removeFirst()
        for part in parts {
            guard let end = part.firstIndex(of: ";") else { throw .damaged("a & begins no reference") }
            let name = String(part[..<end])
            guard let character = Self.character(name) else {
                throw .plain("it uses the entity &\(Self.shown(name));")
            }
            result.unicodeScalars.append(character)
            result += part[part.index(after: end)...]
        }
        return result
    }

    private static func character(_ reference: String) -> Unicode.Scalar? {
        switch reference {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case _ where reference.hasPrefix("#x"):
            UInt32(reference.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where reference.hasPrefix("#"): UInt32(reference.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }

    /// Of a name from the file, what a message may show.
    static func shown(_ text: String) -> String {
        String(text.unicodeScalars.prefix(40).filter { (0x21...0x7E).contains($0.value) }.map(Character.init))
    }
}

extension LogoProblem {
    /// It is SVG, and holds what a picture does not need.
    static func plain(_ detail: String) -> LogoProblem { LogoProblem(detail, .plain) }
    /// It is not what it claims to be.
    static func damaged(_ detail: String) -> LogoProblem { LogoProblem(detail, .exportAgain) }
}
