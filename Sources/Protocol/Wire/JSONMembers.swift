internal import KeyturnBase

extension [String: JSONValue] {
    /// Adds a member unless there is nothing to say.
    mutating func add(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }

    mutating func add(_ name: String, _ secret: Secret?) {
        if let secret { self[name] = .string(secret.exposed()) }
    }

    /// Adds the flag if it is set.
    mutating func add(_ name: String, _ flag: Bool) {
        if flag { self[name] = .bool(true) }
    }

    mutating func add(_ name: String, _ flag: Bool?) {
        if let flag { self[name] = .bool(flag) }
    }

    mutating func add(_ name: String, _ number: Int64?) {
        if let number { self[name] = .integer(number) }
    }

    mutating func add(_ name: String, _ members: [String: JSONValue]) {
        if !members.isEmpty { self[name] = .object(members) }
    }

    mutating func add(_ name: String, _ texts: [String]?) {
        if let texts { self[name] = .texts(texts) }
    }
}

extension JSONValue {
    /// An array of strings.
    static func texts(_ texts: [String]) -> JSONValue {
        .array(texts.map { .string($0) })
    }
}
