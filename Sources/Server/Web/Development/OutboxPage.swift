internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The messages, the newest first.
struct OutboxPage: Page {
    static let template = PageTemplate.outbox
    static let name = "outbox"
    static let isWide = true
    let messages: [OutboxMessage]

    func title(_ strings: Strings) -> String { strings[OutboxStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[OutboxStrings.self]
        return [
            "heading": text.heading, "lead": messages.isEmpty ? text.empty : text.lead,
            "reload": text.reload, "address": Routes.outbox,
            "messages": messages.map { values($0, strings) },
        ]
    }

    private func values(_ message: OutboxMessage, _ strings: Strings) -> [String: Any] {
        let text = strings[OutboxStrings.self]
        var values: [String: Any] = [
            "id": message.id.text, "to": message.to, "channel": text.channel(message.channel.rawValue),
            "subject": message.subject.isEmpty ? text.channel(message.channel.rawValue) : message.subject,
            "body": message.body.trimmingCharacters(in: .newlines), "bodyTitle": text.body,
            "time": Date(timeIntervalSince1970: TimeInterval(message.createdAt.rawValue)).formatted(.iso8601),
            "links": message.links.map { link in
                Self.isWebAddress(link) ? ["uri": link, "text": link] : ["text": link]
            },
        ]
        values["code"] = message.code
        return values
    }

    /// The page shows only these as links; an app's own addresses are plain text.
    private static func isWebAddress(_ link: String) -> Bool {
        link.hasPrefix("https://") || link.hasPrefix("http://")
    }
}
