internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The queue of messages. Who gets a message and what it says is not told.
extension ManagementRoutes {
    private var messages: ManagedMessages { services.managedMessages }

    var messageRoutes: [Route] {
        [
            frame.route(.get, "/v1/mgmt/message/waiting", for: .readProject) { _ in
                ["messages": .array(try await messages.waiting().map(json))]
            },
            frame.route(.get, "/v1/mgmt/message/dead", for: .readProject) { _ in
                ["messages": .array(try await messages.deadLetters().map(json))]
            },
            frame.route(.post, "/v1/mgmt/message/test", for: .handleMessages) { request in
                let id = try await messages.sendTest(
                    to: try request.body.requiredText("to"), by: try request.body.requiredText("channel"),
                    in: try request.body.text("locale"), by: request.actor)
                return ["id": .string(id.text)]
            },
            frame.route(.post, "/v1/mgmt/message/retry", for: .handleMessages) { request in
                let id = try request.body.requiredText("id")
                return ["retried": .bool(try await messages.retry(id, by: request.actor))]
            },
            frame.route(.get, "/v1/mgmt/message/preview", for: .readProject) { request in
                guard let kind = request.parameter("kind").flatMap(MessageKind.init),
                    let channel = request.parameter("channel").flatMap(DeliveryMethod.init)
                else { throw MethodProblem.missing("kind, channel") }
                guard let previews else { throw MethodProblem.invalidRequest.saying("The server shows no previews") }
                let shown = previews.preview(kind, by: channel, in: request.parameter("locale") ?? "en")
                var members: [String: JSONValue] = [
                    "language": .string(shown.language), "subject": .string(shown.subject), "text": .string(shown.text),
                ]
                members["html"] = shown.html.map(JSONValue.string)
                return .object(members)
            },
        ]
    }

    private func json(_ message: QueuedMessage) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(message.id.text), "kind": .string(message.kind.rawValue),
            "channel": .string(message.channel.rawValue), "attempts": .integer(message.attempts),
            "created_at": .integer(message.createdAt.rawValue), "due_at": .integer(message.dueAt.rawValue),
            "expires_at": .integer(message.expiresAt.rawValue),
        ]
        switch message.state {
        case .waiting: members["state"] = "waiting"
        case .sending: members["state"] = "sending"
        case .failed(let reason):
            members["state"] = "failed"
            members["reason"] = .string(reason)
        }
        return .object(members)
    }

    private func json(_ letter: DeadLetter) -> JSONValue {
        [
            "id": .string(letter.id.text), "kind": .string(letter.kind.rawValue),
            "channel": .string(letter.channel.rawValue), "attempts": .integer(letter.attempts),
            "reason": .string(letter.reason), "at": .integer(letter.finishedAt.rawValue),
        ]
    }
}
