internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// `/dev/outbox`: every message that users would have received. Only if the operator switched it on.
struct OutboxRoutes: Sendable {
    let presenter: Presenter
    let outbox: (any Outbox)?

    var routes: [Route] {
        guard outbox != nil else { return [] }
        return [
            Route(.get, Routes.outbox, open: Self.whyOpen, isPage: true, handler: page),
            Route(.get, Routes.outbox + ".json", open: Self.whyOpen, handler: json),
        ]
    }

    private static let whyOpen = "for development alone"

    @Sendable private func page(_ request: Request, _ context: WebContext) async throws -> Response {
        let messages = try await outbox?.messages() ?? []
        return presenter.response(OutboxPage(messages: messages.reversed()), look: presenter.look(request))
    }

    @Sendable private func json(_ request: Request, _ context: WebContext) async throws -> Response {
        let messages = try await outbox?.messages() ?? []
        var writer = JSONWriter(capacity: 4_096)
        writer.beginArray()
        for message in messages { Self.write(message, &writer) }
        writer.endArray()
        return .json(writer.bytes)
    }

    private static func write(_ message: OutboxMessage, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", message.id.text)
        json.member("kind", message.kind.rawValue)
        json.member("channel", message.channel.rawValue)
        json.member("to", message.to)
        json.member("subject", message.subject)
        json.member("body", message.body)
        json.member("code", message.code)
        json.member("links", message.links)
        json.member("created_at", message.createdAt.rawValue)
        json.endObject()
    }
}

/// The messages, the newest first.
struct OutboxPage: Page {
    static let template = PageTemplate.outbox
    static let name = "outbox"
    static let isWide = true
    let messages: [OutboxMessage]

    func title(_ strings: Strings) -> String { strings.outbox.heading }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": strings.outbox.heading, "lead": messages.isEmpty ? strings.outbox.empty : strings.outbox.lead,
            "reload": strings.outbox.reload, "address": Routes.outbox,
            "messages": messages.map { values($0, strings) },
        ]
    }

    private func values(_ message: OutboxMessage, _ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "id": message.id.text, "to": message.to, "channel": strings.outbox.channel(message.channel.rawValue),
            "subject": message.subject.isEmpty ? strings.outbox.channel(message.channel.rawValue) : message.subject,
            "body": message.body.trimmingCharacters(in: .newlines), "bodyTitle": strings.outbox.body,
            "time": Date(timeIntervalSince1970: TimeInterval(message.createdAt.rawValue)).formatted(.iso8601),
            "links": message.links.map { link in
                Self.isWebAddress(link) ? ["address": link, "text": link] : ["text": link]
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
