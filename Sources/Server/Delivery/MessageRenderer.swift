public import KeyturnBase
internal import KeyturnWire
public import Model
internal import Mustache
package import Texts

/// Puts messages into words. The templates are compiled into the program; what they show is escaped.
public struct MessageRenderer: Sendable {
    private let library: MustacheLibrary
    private let projectName: String
    private let host: String?
    private let templates: MessageTemplates?
    private let colors: MailColors
    /// The languages of messages, with the operator’s own words.
    package var texts = TextCatalog.builtIn

    /// - Parameters:
    ///   - projectName: what messages call the project, unless they say otherwise.
    ///   - issuer: codes in text messages are bound to its host.
    ///   - templates: the operator's own words, where there are any.
    ///   - colors: those of buttons in mails.
    /// - Throws: if a template is not well-formed.
    public init(
        projectName: String, issuer: String, templates: MessageTemplates? = nil, colors: MailColors = MailColors()
    ) throws {
        let sources = [
            "mailText": PackageResources.mailText_mustache, "mailPage": PackageResources.mailPage_mustache,
            "short": PackageResources.short_mustache,
        ]
        library = MustacheLibrary(
            templates: try sources.mapValues { try MustacheTemplate(string: String(decoding: $0, as: UTF8.self)) })
        self.projectName = projectName
        self.templates = templates
        self.colors = colors
        host = URIParts(issuer)?.host?.text
    }

    /// The message in the language that it asks for, laid out for its channel.
    public func render(_ message: OutgoingMessage, id: MessageID, createdAt: UnixTime) -> RenderedMessage {
        let facts = MessageFacts(message, projectName: projectName)
        if let own = templates?.find(message) { return render(message, own, facts, id: id, createdAt: createdAt) }
        let language = MessageLanguage(message.locale, in: texts)
        let words = language.words(message.kind, facts)
        let links = message.links.filter(Self.isHarmless)
        let isMail = message.channel == .email
        return RenderedMessage(
            id: id, kind: message.kind, channel: message.channel, to: message.to, language: language.code,
            subject: isMail ? String(words.subject.prefix(DeliveryLimits.subjectMax)) : "",
            text: isMail
                ? fill("mailText", mailValues(words, facts, links, message, language))
                : short(words, facts, links, message, language),
            html: isMail ? fill("mailPage", mailValues(words, facts, links, message, language)) : nil,
            code: message.code, links: links, details: Self.details(message), createdAt: createdAt)
    }

    /// Only a push service needs the parts of a message.
    private static func details(_ message: OutgoingMessage) -> [String: String] {
        guard message.channel == .push else { return [:] }
        let names = [
            MessageValue.clientName: "client_name", MessageValue.bindingMessage: "binding_message",
            MessageValue.requestName: "request",
        ]
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { key, name in message.values[key].map { (name, $0) } })
    }

    /// Whether a message asks for a template that is not there, so that it is made from other words.
    public func lacksTemplate(of message: OutgoingMessage) -> Bool {
        message.template.map { templates?.contains($0) != true } ?? false
    }

    /// The message in the operator's own words.
    private func render(
        _ message: OutgoingMessage, _ own: (words: MessageTemplates.Words, page: MessageTemplate?, language: String),
        _ facts: MessageFacts, id: MessageID, createdAt: UnixTime
    ) -> RenderedMessage {
        let links = message.links.filter(Self.isHarmless)
        let values = TemplateValues(message, facts, links: links, language: own.language)
        var text = own.words.body.filled(with: values)
        if message.channel == .sms, let code = facts.code, let domain = domain(message) {
            text = "\(text.trimmedEnd)\n\n@\(domain) #\(code)"
        } else if message.channel != .email {
            text = text.trimmedEnd
        }
        let subject = own.words.subject.map { MessageFacts.clean($0.filled(with: values)) } ?? ""
        return RenderedMessage(
            id: id, kind: message.kind, channel: message.channel, to: message.to, language: own.language,
            subject: String(subject.prefix(DeliveryLimits.subjectMax)), text: text,
            html: own.page?.filled(with: values), code: message.code, links: links, details: Self.details(message),
            createdAt: createdAt)
    }

    private func mailValues(
        _ words: MessageWords, _ facts: MessageFacts, _ links: [String], _ message: OutgoingMessage,
        _ language: MessageLanguage
    ) -> [String: Any] {
        var values: [String: Any] = [
            "language": language.code, "direction": language.table.isRightToLeft ? "rtl" : "ltr", "app": facts.app,
            "subject": words.subject, "heading": words.heading,
            "paragraphs": words.paragraphs, "note": words.note, "links": rows(links, message, label: words.action),
            "colors": colors.values,
        ]
        values["code"] = facts.code
        return values
    }

    private func short(
        _ words: MessageWords, _ facts: MessageFacts, _ links: [String], _ message: OutgoingMessage,
        _ language: MessageLanguage
    ) -> String {
        if message.channel == .voice, let code = facts.code {
            return language.spokenCode(facts.app, code.map(String.init).joined(separator: ", "))
        }
        var values: [String: Any] = ["text": words.short, "links": rows(links, message, label: nil)]
        if message.channel == .sms, let code = facts.code, let domain = domain(message) {
            values["bound"] = "@\(domain) #\(code)"
        }
        let text = fill("short", values)
        return text.trimmedEnd
    }

    /// The host that browsers fill a code from a text message in at. An address of numbers is no such host.
    private func domain(_ message: OutgoingMessage) -> String? {
        guard let domain = message.values[MessageValue.domain] ?? host,
            domain.utf8.allSatisfy({ byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x2e
            }), domain.contains(where: \.isLetter)
        else { return nil }
        return domain
    }

    private func rows(_ links: [String], _ message: OutgoingMessage, label: String?) -> [[String: String]] {
        let numbers = (message.values[MessageValue.linkIDs] ?? "").split(separator: " ").map(String.init)
        return links.enumerated().map { index, address in
            var row = ["address": address]
            if numbers.count == links.count { row["number"] = numbers[index] }
            row["label"] = row["number"] ?? label ?? address
            return row
        }
    }

    /// One line, and nothing that a mail program would run.
    private static func isHarmless(_ link: String) -> Bool {
        let scheme = link.prefix { $0 != ":" }.lowercased()
        return link.utf8.allSatisfy { (0x21...0x7e).contains($0) } && link.contains(":")
            && !["javascript", "data", "vbscript", "file"].contains(scheme)
    }

    private func fill(_ template: String, _ values: [String: Any]) -> String {
        library.render(values, withTemplate: template) ?? ""
    }
}

extension String {
    /// Without empty lines at the end.
    fileprivate var trimmedEnd: String {
        String(reversed().drop(while: \.isNewline).reversed())
    }
}
