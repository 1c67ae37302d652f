internal import KeyturnWire
internal import Model

/// A text of the operator's own with places to fill in: `{{name}}`, and `{{#name}}…{{/name}}` for what is only there if
/// `name` is. `{{#links}}` is repeated for each link of an enchanted link.
///
/// In a page every value is escaped, and there is no way to ask for the opposite.
struct MessageTemplate: Hashable, Sendable {
    /// How values are written.
    enum Form: Hashable, Sendable {
        case text, html
    }

    /// What is wrong with a template, and where.
    struct Flaw: Error, Hashable, Sendable {
        /// From 1.
        let line: Int
        /// What is wrong, without a final stop.
        let detail: String
        /// What to do about it, as a whole sentence.
        let remedy: String
    }

    indirect enum Piece: Hashable, Sendable {
        case text(String)
        case value(String)
        case section(String, [Piece])
    }

    /// What may be named everywhere.
    static let names = [
        "app", "code", "link", "links", "minutes", "language", "newAddress", "inviter", "device", "when",
        "networkAddress", "oldAddress", "clientName", "readyAt",
    ]
    /// What each of several links has.
    static let linkNames = ["number", "link"]
    /// Before the names of values that the request sent along.
    static let optionPrefix = "options."

    let form: Form
    private let pieces: [Piece]

    /// - Throws: ``Flaw`` for the first mistake.
    init(_ source: String, form: Form) throws(Flaw) {
        self.form = form
        var parser = TemplateParser(form)
        pieces = try parser.parse(source)
    }

    /// Whether a value is named, be it in a section.
    func mentions(_ name: String) -> Bool {
        Self.mentions(name, pieces)
    }

    func filled(with values: TemplateValues) -> String {
        Self.fill(pieces, values, form)
    }

    private static func mentions(_ name: String, _ pieces: [Piece]) -> Bool {
        pieces.contains { piece in
            switch piece {
            case .text: false
            case .value(let found): found == name
            case .section(_, let inner): mentions(name, inner)
            }
        }
    }

    private static func fill(_ pieces: [Piece], _ values: TemplateValues, _ form: Form) -> String {
        pieces.reduce(into: "") { result, piece in
            switch piece {
            case .text(let text): result += text
            case .value(let name):
                let value = values.texts[name] ?? ""
                result += form == .html ? escaped(value) : value
            case .section("links", let inner):
                for link in values.links {
                    var each = values
                    each.texts["number"] = link.number
                    each.texts["link"] = link.address
                    result += fill(inner, each, form)
                }
            case .section(let name, let inner):
                if values.texts[name]?.isEmpty == false { result += fill(inner, values, form) }
            }
        }
    }

    /// Good in text and in a quoted attribute (HTML §13.1.2.3).
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}

/// What a template is filled with: each text one line, and bounded.
struct TemplateValues: Sendable {
    var texts: [String: String]
    /// `number` is empty unless there are several.
    var links: [(number: String, address: String)]

    init(_ message: OutgoingMessage, _ facts: MessageFacts, links addresses: [String], language: String) {
        let numbers = (message.values[MessageValue.linkIDs] ?? "").split(separator: " ").map(String.init)
        links = addresses.enumerated().map { index, address in
            (numbers.count == addresses.count ? numbers[index] : "", address)
        }
        texts = ["app": facts.app, "language": language, "link": addresses.first ?? ""]
        if message.channel == .voice, let code = facts.code {
            texts["code"] = code.map(String.init).joined(separator: ", ")
        } else {
            texts["code"] = facts.code
        }
        texts["minutes"] = facts.minutes
        texts["newAddress"] = facts.newAddress
        texts["inviter"] = facts.inviter
        texts["device"] = facts.device
        texts["when"] = facts.when
        texts["networkAddress"] = facts.networkAddress
        texts["oldAddress"] = facts.oldAddress
        texts["clientName"] = facts.clientName
        texts["readyAt"] = facts.readyAt
        for (name, value) in message.options where TemplateParser.isName(name) && Self.isPlain(value) {
            texts[MessageTemplate.optionPrefix + name] = MessageFacts.clean(value)
        }
    }

    /// Any client can ask for a message and send values along. None of them leads the reader elsewhere.
    private static func isPlain(_ value: String) -> Bool {
        let text = value.lowercased()
        return !text.contains("://") && !text.contains("www.")
    }
}
