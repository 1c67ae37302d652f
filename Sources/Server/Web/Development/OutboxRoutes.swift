internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// `/dev/outbox`: every message that users would have received. Only if the operator switched it on.
struct OutboxRoutes: Sendable {
    let checks: Checks
    let presenter: Presenter
    let outbox: (any Outbox)?

    var routes: [Route] {
        guard outbox != nil else { return [] }
        return [
            Route(.get, Routes.outbox, checks.developerOnPage, isPage: true, handler: page),
            Route(.get, Routes.outbox + ".json", checks.developer, handler: json),
        ]
    }

    @Sendable private func page(
        _ developer: Operator, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let messages = try await outbox?.messages() ?? []
        return presenter.response(OutboxPage(messages: messages.reversed()), look: presenter.look(request))
    }

    @Sendable private func json(
        _ developer: Operator, _ request: Request, _ context: WebContext
    ) async throws -> Response {
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
