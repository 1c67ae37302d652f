/// Reads one template, and refuses what would be a surprise when it is sent.
struct TemplateParser {
    typealias Flaw = MessageTemplate.Flaw
    typealias Piece = MessageTemplate.Piece

    private let form: MessageTemplate.Form
    private var line = 1
    /// Whether the text ended between `<` and `>`, and whether in a quotation there.
    private var isInTag = false
    private var quote: Character?
    /// The sections that are open, the outermost first, with what stood before each.
    private var open: [(name: String, line: Int, before: [Piece])] = []
    private var pieces: [Piece] = []

    init(_ form: MessageTemplate.Form) {
        self.form = form
    }

    mutating func parse(_ source: String) throws(Flaw) -> [Piece] {
        for row in source.split(separator: "\n", omittingEmptySubsequences: false) {
            let isLast = row.endIndex == source.endIndex
            // A line that holds a section's mark and nothing else leaves nothing behind.
            if let mark = Self.lonelyMark(row) {
                try read(mark)
            } else {
                try read(row)
                if !isLast { add("\n") }
            }
            line += 1
        }
        if let (name, line, _) = open.last {
            throw Flaw(line: line, detail: "{{#\(name)}} is not closed", remedy: "Add {{/\(name)}} after it.")
        }
        return pieces
    }

    private mutating func read(_ row: Substring) throws(Flaw) {
        var rest = row
        while let start = rest.firstRange(of: "{{") {
            add(rest[..<start.lowerBound])
            guard let end = rest[start.upperBound...].firstRange(of: "}}") else {
                throw flaw("\"{{\" is not closed on its line", "Write {{name}}, on one line.")
            }
            let mark = rest[start.upperBound..<end.lowerBound]
            rest = rest[end.upperBound...]
            if mark.first == "{" || mark.first == "&" {
                throw flaw("values cannot be left unescaped", "Write two braces, and a name alone between them.")
            }
            try read(mark: String(mark).filter { $0 != " " })
        }
        add(rest)
    }

    private mutating func read(mark: String) throws(Flaw) {
        let name = String(mark.dropFirst())
        switch mark.first {
        case "#":
            try check(name, isSection: true)
            open.append((name, line, pieces))
            pieces = []
        case "/":
            guard let section = open.popLast(), section.name == name else {
                throw flaw("{{/\(name)}} closes nothing", "Close sections in the opposite order of their beginnings.")
            }
            pieces = section.before + [.section(name, pieces)]
        default:
            try check(mark, isSection: false)
            pieces.append(.value(mark))
        }
    }

    private func check(_ name: String, isSection: Bool) throws(Flaw) {
        let isInLinks = open.contains { $0.name == "links" }
        let isOption = name.hasPrefix(MessageTemplate.optionPrefix) && Self.isName(name.dropFirst(8))
        let isKnown =
            MessageTemplate.names.contains(name) || isOption
            || (isInLinks && MessageTemplate.linkNames.contains(name))
        guard isKnown, isSection || name != "links", !isSection || name != "links" || !isInLinks else {
            let known = MessageTemplate.names.joined(separator: ", ")
            throw flaw(
                "there is no {{\(name)}} here",
                "Known are: \(known), options.NAME; links as {{#links}}{{number}} {{link}}{{/links}}.")
        }
        guard isInTag, !isSection else { return }
        // Whatever else stands in a tag could become an attribute, or an address that runs a script.
        guard name == "link", quote != nil else {
            throw flaw("{{\(name)}} stands in a tag", "In tags only {{link}} may stand, in quotes: href=\"{{link}}\".")
        }
    }

    private mutating func add(_ text: some StringProtocol) {
        guard !text.isEmpty else { return }
        if form == .html { follow(text) }
        if case .text(let before) = pieces.last {
            pieces[pieces.count - 1] = .text(before + text)
        } else {
            pieces.append(.text(String(text)))
        }
    }

    /// Keeps track of where in the page the text is.
    private mutating func follow(_ text: some StringProtocol) {
        for character in text {
            switch (character, isInTag, quote) {
            case ("<", false, _): isInTag = true
            case (">", true, nil): isInTag = false
            case ("\"", true, nil), ("'", true, nil): quote = character
            case (let character, true, let open?) where character == open: quote = nil
            default: break
            }
        }
    }

    private func flaw(_ detail: String, _ remedy: String) -> Flaw {
        Flaw(line: line, detail: detail, remedy: remedy)
    }

    private static func lonelyMark(_ row: Substring) -> Substring? {
        let spaces: Set<Character> = [" ", "\t", "\r"]
        var trimmed = row.drop(while: spaces.contains)
        while let last = trimmed.last, spaces.contains(last) { trimmed.removeLast() }
        guard trimmed.hasPrefix("{{#") || trimmed.hasPrefix("{{/"), trimmed.hasSuffix("}}"),
            trimmed.ranges(of: "{{").count == 1
        else { return nil }
        return trimmed
    }

    /// Letters, digits and underscores: what names of options and templates are made of.
    static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x5f || byte == 0x2d
            }
    }
}
