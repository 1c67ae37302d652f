/// Reads one template before Mustache does, and refuses what would be a surprise when it is sent: unescaped values,
/// unknown names, partials, other delimiters, and values at places of a page where they could be more than text.
struct TemplateCheck {
    typealias Flaw = MessageTemplate.Flaw

    /// A template without flaws.
    struct Checked: Hashable, Sendable {
        /// The template for Mustache. In text each value has three braces, so that it is not escaped for HTML.
        fileprivate(set) var mustache = ""
        /// Every value that is named outside of a section's mark.
        fileprivate(set) var mentioned: Set<String> = []
    }

    private let form: MessageTemplate.Form
    private var checked = Checked()
    private var line = 1
    /// Whether the text ended between `<` and `>`, and in which quotation there.
    private var isInTag = false
    private var quote: Unicode.Scalar?
    /// The sections that are open, the outermost first.
    private var open: [(name: String, mark: String, line: Int)] = []

    /// - Throws: the first flaw.
    static func check(_ source: String, form: MessageTemplate.Form) throws(Flaw) -> Checked {
        var check = TemplateCheck(form: form)
        // Scalars: a character may be a brace or a quotation mark with an accent, which mail programs read as two.
        for row in source.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            if check.line > 1 { check.checked.mustache += "\n" }
            try check.read(row)
            check.line += 1
        }
        if let (name, mark, line) = check.open.last {
            throw Flaw(line: line, detail: "{{\(mark)}} is not closed", remedy: "Add {{/\(name)}} after it.")
        }
        return check.checked
    }

    private init(form: MessageTemplate.Form) {
        self.form = form
    }

    private mutating func read(_ row: Substring.UnicodeScalarView) throws(Flaw) {
        var rest = row
        while let start = rest.firstRange(of: "{{".unicodeScalars) {
            add(rest[..<start.lowerBound])
            guard let end = rest[start.upperBound...].firstRange(of: "}}".unicodeScalars) else {
                throw flaw("\"{{\" is not closed on its line", "Write {{name}}, on one line.")
            }
            try read(mark: String(rest[start.upperBound..<end.lowerBound]).filter { $0 != " " })
            rest = rest[end.upperBound...]
        }
        add(rest)
    }

    private mutating func read(mark: String) throws(Flaw) {
        let name = String(mark.dropFirst())
        switch mark.first {
        case "{", "&":
            throw flaw("values cannot be left unescaped", "Write two braces, and a name alone between them.")
        case ">", "<", "$":
            throw flaw("there is no template to take in here", "Write its text in this place.")
        case "=":
            throw flaw("the delimiters cannot be changed", "Write {{name}}.")
        case "!":
            checked.mustache += "{{!}}"
        case "#", "^":
            try check(name, isSection: true)
            guard open.count < DeliveryLimits.templateDepthMax else {
                throw flaw("sections are nested too deep", "Nest at most \(DeliveryLimits.templateDepthMax).")
            }
            open.append((name, mark, line))
            checked.mustache += "{{\(mark)}}"
        case "/":
            guard open.popLast()?.name == name else {
                throw flaw("{{/\(name)}} closes nothing", "Close sections in the opposite order of their beginnings.")
            }
            checked.mustache += "{{\(mark)}}"
        default:
            try check(mark, isSection: false)
            checked.mentioned.insert(mark)
            checked.mustache += form == .html ? "{{\(mark)}}" : "{{{\(mark)}}}"
        }
    }

    private func check(_ name: String, isSection: Bool) throws(Flaw) {
        let isInLinks = open.contains { $0.mark == "#links" }
        let isOption =
            name.hasPrefix(MessageTemplate.optionPrefix)
            && Self.isName(name.dropFirst(MessageTemplate.optionPrefix.count))
        let isKnown =
            MessageTemplate.names.contains(name) || isOption
            || (isInLinks && MessageTemplate.linkNames.contains(name))
        guard isKnown, name != "links" || (isSection && !isInLinks) else {
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

    private mutating func add(_ text: Substring.UnicodeScalarView) {
        checked.mustache += String(text)
        guard form == .html else { return }
        // Keeps track of where in the page the text is.
        for scalar in text {
            switch (scalar, isInTag, quote) {
            case ("<", false, _): isInTag = true
            case (">", true, nil): isInTag = false
            case ("\"", true, nil), ("'", true, nil): quote = scalar
            case (_, true, scalar): quote = nil
            default: break
            }
        }
    }

    private func flaw(_ detail: String, _ remedy: String) -> Flaw {
        Flaw(line: line, detail: detail, remedy: remedy)
    }

    /// Letters, digits, underscores and hyphens: what names of options and templates are made of.
    static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || byte == 0x5f || byte == 0x2d
            }
    }
}
