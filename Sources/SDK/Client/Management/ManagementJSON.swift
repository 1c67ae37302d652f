internal import KeyturnBase
internal import KeyturnWire

extension MethodReply {
    /// The member called `name`, read as a message.
    func message<Message: MethodMessage>(
        _ name: String, as type: Message.Type = Message.self
    ) throws(AuthError) -> Message {
        guard let json = json[name] else { throw Self.lacking(name) }
        do throws(MethodProblem) {
            return try Message(json: json)
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// The array called `name`; empty if there is none.
    func list<Message: MethodMessage>(
        _ name: String, of type: Message.Type = Message.self
    ) throws(AuthError) -> [Message] {
        do throws(MethodProblem) {
            var messages: [Message] = []
            for body in try MethodBody(json).bodies(name) { messages.append(try Message(body)) }
            return messages
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// The text called `name`, which must be there.
    func text(_ name: String) throws(AuthError) -> String {
        guard let text = json[name]?.stringValue, !text.isEmpty else { throw Self.lacking(name) }
        return text
    }

    private static func lacking(_ name: String) -> AuthError {
        AuthError(.protocolViolation, "the answer lacks \(name)")
    }

    private static func unreadable(_ problem: MethodProblem) -> AuthError {
        AuthError(.protocolViolation, "the answer is not what was asked for", cause: problem)
    }
}

extension JSONValue {
    /// An array of strings.
    static func names(_ names: [String]) -> JSONValue {
        .array(names.map { .string($0) })
    }
}

extension [String: JSONValue] {
    /// Sets a member unless there is nothing to say.
    mutating func put(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }

    mutating func put(_ name: String, _ flag: Bool?) {
        if let flag { self[name] = .bool(flag) }
    }

    mutating func put(_ name: String, _ number: Int64?) {
        if let number { self[name] = .integer(number) }
    }

    mutating func put(_ name: String, _ names: [String]?) {
        if let names { self[name] = .names(names) }
    }

    mutating func put(_ name: String, _ members: [String: JSONValue]?) {
        if let members { self[name] = .object(members) }
    }
}
