/// Reads a text with places: strict, and bounded in depth, length and parts.
struct TextPatternParser {
    private let source: [Unicode.Scalar]
    private let bytes: Int
    private var position = 0
    private var partCount = 0
    private(set) var places: [String: TextPattern.Place] = [:]
    private(set) var pluralForms: [Set<PluralForm>] = []

    init(_ source: String) {
        bytes = source.utf8.count
        self.source = bytes > TextLimits.textBytesMax ? [] : Array(source.unicodeScalars)
    }

    mutating func parse() throws(TextProblem) -> [TextPattern.Part] {
        guard bytes <= TextLimits.textBytesMax else {
            throw TextProblem("it is longer than \(TextLimits.textBytesMax) bytes")
        }
        let parts = try parts(depth: 0, counted: nil)
        guard position == source.count else { throw problem("there is a } without its {") }
        return parts
    }

    /// Parts until the end, or until the brace that closes the branch.
    private mutating func parts(depth: Int, counted: String?) throws(TextProblem) -> [TextPattern.Part] {
        guard depth <= TextLimits.depthMax else {
            throw problem("more than \(TextLimits.depthMax) plurals and choices are inside each other")
        }
        var parts: [TextPattern.Part] = [], literal = String.UnicodeScalarView()
        func flushed() -> [TextPattern.Part] { literal.isEmpty ? [] : [.literal(String(literal))] }
        while let scalar = peek, scalar != "}" {
            if scalar == "{" {
                parts += flushed()
                literal = .init()
                parts.append(try place(depth: depth, counted: counted))
                try count()
            } else if scalar == "#", let counted {
                position += 1
                parts += flushed() + [.count(counted)]
                literal = .init()
                try count()
            } else if scalar == "'", let quoted = try quoted(counted != nil) {
                literal.append(contentsOf: quoted)
            } else {
                guard Self.isAllowed(scalar) else { throw problem("it has a control character") }
                literal.append(scalar)
                position += 1
            }
        }
        return parts + flushed()
    }

    private mutating func count() throws(TextProblem) {
        partCount += 1
        guard partCount <= TextLimits.partsMax else { throw problem("it has more than \(TextLimits.partsMax) places") }
    }

    /// `''` is an apostrophe; `'{…}'` is not a place. Any other apostrophe is itself.
    private mutating func quoted(_ isCounted: Bool) throws(TextProblem) -> String.UnicodeScalarView? {
        guard position + 1 < source.count else { return nil }
        let next = source[position + 1]
        if next == "'" {
            position += 2
            return String.UnicodeScalarView(["'"])
        }
        guard next == "{" || next == "}" || (isCounted && next == "#") else { return nil }
        position += 1
        var view = String.UnicodeScalarView()
        while let scalar = peek {
            position += 1
            if scalar == "'" { return view }
            view.append(scalar)
        }
        throw problem("a quotation that begins with ' does not end")
    }

    /// `{name}`, `{name, plural, …}` or `{name, select, …}`.
    private mutating func place(depth: Int, counted: String?) throws(TextProblem) -> TextPattern.Part {
        position += 1
        let name = try word("the name of a place")
        guard name.first?.isLetter == true, !name.contains("="), name.utf8.count <= TextLimits.nameBytesMax else {
            throw problem("\(name) is no name of a place")
        }
        if take("}") {
            if places[name] == nil { places[name] = .value }
            return .place(name)
        }
        try expect(",")
        let kind = try word("plural or select")
        try expect(",")
        switch kind {
        case "plural": return try plural(name, depth: depth)
        case "select": return try choice(name, depth: depth, counted: counted)
        default: throw problem("{\(name), \(kind)} is neither plural nor select")
        }
    }

    private mutating func plural(_ name: String, depth: Int) throws(TextProblem) -> TextPattern.Part {
        if let known = places[name], case .choice = known { throw problem("{\(name)} is a plural and a choice") }
        places[name] = .number
        var exact: [Int: [TextPattern.Part]] = [:], forms: [PluralForm: [TextPattern.Part]] = [:]
        try branches(of: name) { (parser, key) throws(TextProblem) in
            if key.hasPrefix("=") {
                guard let number = Int(key.dropFirst()), (0...999).contains(number), exact[number] == nil else {
                    throw parser.problem("\(key) is no number, or there twice")
                }
                exact[number] = try parser.branch(depth: depth, counted: name)
            } else {
                guard let form = PluralForm(rawValue: key), forms[form] == nil else {
                    throw parser.problem("\(key) is no plural form, or there twice")
                }
                forms[form] = try parser.branch(depth: depth, counted: name)
            }
        }
        guard forms[.other] != nil else { throw problem("the plural of {\(name)} lacks other") }
        pluralForms.append(Set(forms.keys))
        return .plural(name, exact: exact, forms: forms)
    }

    private mutating func choice(
        _ name: String, depth: Int, counted: String?
    ) throws(TextProblem) -> TextPattern.Part {
        if places[name] == .number { throw problem("{\(name)} is a plural and a choice") }
        var found: [String: [TextPattern.Part]] = [:]
        try branches(of: name) { (parser, key) throws(TextProblem) in
            guard found[key] == nil, key.first?.isLetter == true, !key.contains("=") else {
                throw parser.problem("\(key) is no word to choose by, or there twice")
            }
            found[key] = try parser.branch(depth: depth, counted: counted)
        }
        guard found["other"] != nil else { throw problem("the choice of {\(name)} lacks other") }
        var words = Set(found.keys)
        if case .choice(let earlier) = places[name] { words.formUnion(earlier) }
        places[name] = .choice(words)
        return .choice(name, found)
    }

    private mutating func branches(
        of name: String, _ take: (inout TextPatternParser, String) throws(TextProblem) -> Void
    ) throws(TextProblem) {
        var number = 0
        repeat {
            number += 1
            guard number <= TextLimits.branchesMax else { throw problem("{\(name)} has too many branches") }
            try take(&self, try word("a branch of {\(name)}"))
            skipSpace()
        } while !self.take("}")
    }

    private mutating func branch(depth: Int, counted: String?) throws(TextProblem) -> [TextPattern.Part] {
        try expect("{")
        let parts = try parts(depth: depth + 1, counted: counted)
        guard take("}", spaced: false) else { throw problem("a { does not end") }
        try count()
        return parts
    }

    private var peek: Unicode.Scalar? { position < source.count ? source[position] : nil }

    private mutating func skipSpace() {
        while let scalar = peek, scalar == " " || scalar == "\n" { position += 1 }
    }

    private mutating func take(_ scalar: Unicode.Scalar, spaced: Bool = true) -> Bool {
        if spaced { skipSpace() }
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar) throws(TextProblem) {
        guard take(scalar) else {
            throw problem(peek == nil ? "a { does not end" : "there must be a \(scalar)")
        }
    }

    private mutating func word(_ what: String) throws(TextProblem) -> String {
        skipSpace()
        var word = ""
        while let scalar = peek, Self.isWord(scalar), word.utf8.count <= TextLimits.nameBytesMax {
            word.unicodeScalars.append(scalar)
            position += 1
        }
        guard !word.isEmpty else { throw problem("\(what) is missing") }
        return word
    }

    private func problem(_ reason: String) -> TextProblem {
        TextProblem("\(reason) (character \(min(position, source.count) + 1))")
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "=": true
        default: false
        }
    }

    /// No control characters, and no marks that turn the direction of what follows the text.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069: false
        default: true
        }
    }
}
