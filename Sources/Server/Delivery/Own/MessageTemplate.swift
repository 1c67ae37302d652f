internal import KeyturnWire
internal import Model
internal import Mustache

/// A Mustache template of the operator's own, such as `Your code is {{code}}`.
///
/// Values are escaped in pages and nowhere else. What a template may hold is decided by ``TemplateCheck``.
struct MessageTemplate: Sendable {
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

    /// The names that every message may use.
    static let names = [
        "app", "code", "link", "links", "minutes", "language", "newAddress", "inviter", "device", "when",
        "networkAddress", "country", "oldAddress", "clientName", "readyAt", "connectionName", "endsAt",
    ]
    /// The names that each of several links has.
    static let linkNames = ["number", "link"]
    /// Stands before the names of values that the request sent along.
    static let optionPrefix = "options."

    private let checked: TemplateCheck.Checked
    private let template: MustacheTemplate

    /// - Throws: ``Flaw`` for the first mistake.
    init(_ source: String, form: Form) throws(Flaw) {
        checked = try TemplateCheck.check(source, form: form)
        do {
            template = try MustacheTemplate(string: checked.mustache)
        } catch {
            throw Flaw(
                line: (error as? MustacheTemplate.ParserError)?.context.lineNumber ?? 1,
                detail: "Mustache cannot read this", remedy: "Look for a brace too many, and for one at the end.")
        }
    }

    /// Whether a value is named, also within a section.
    func mentions(_ name: String) -> Bool { checked.mentioned.contains(name) }

    func filled(with values: TemplateValues) -> String { template.render(values.mustache) }
}

extension MessageTemplate: Hashable {
    static func == (left: Self, right: Self) -> Bool { left.checked == right.checked }

    func hash(into hasher: inout Hasher) { hasher.combine(checked) }
}

/// What a template is filled with: each text one line, and bounded.
struct TemplateValues: Sendable {
    private var texts: [String: String]
    private var options: [String: String] = [:]
    private let links: [[String: String]]

    init(_ message: OutgoingMessage, _ facts: MessageFacts, links addresses: [String], language: String) {
        let numbers = (message.values[MessageValue.linkIDs] ?? "").split(separator: " ").map(String.init)
        links = addresses.enumerated().map { index, address in
            numbers.count == addresses.count ? ["number": numbers[index], "link": address] : ["link": address]
        }
        texts = ["app": facts.app, "language": language]
        texts["link"] = addresses.first
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
        texts["country"] = facts.country.map { CountryName.text($0, in: language) }
        texts["oldAddress"] = facts.oldAddress
        texts["clientName"] = facts.clientName
        texts["readyAt"] = facts.readyAt
        texts["connectionName"] = facts.connectionName
        texts["endsAt"] = facts.endsAt
        for (name, value) in message.options where TemplateCheck.isName(name) && Self.isPlain(value) {
            options[name] = MessageFacts.clean(value)
        }
    }

    /// The same for Mustache, for which an empty text is there: it is left out.
    var mustache: [String: Any] {
        var values: [String: Any] = texts.filter { !$0.value.isEmpty }
        values["options"] = options.filter { !$0.value.isEmpty }
        values["links"] = links
        return values
    }

    /// Any client can ask for a message and send values along. None of them leads the reader elsewhere.
    private static func isPlain(_ value: String) -> Bool {
        let text = value.lowercased()
        return !text.contains("://") && !text.contains("www.")
    }
}
