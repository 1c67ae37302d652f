internal import KeyturnBase

/// The members of a connection's JSON while they are read: notes what has another type than it should.
struct ConnectionMembers {
    private let members: [String: JSONValue]
    private var seen: Set<String> = []
    private var mistakes: [ConnectionMistake] = []

    init(_ members: [String: JSONValue]) {
        self.members = members
    }

    /// - Returns: what was wrong, with the members that mean nothing.
    func end() -> [ConnectionMistake] {
        mistakes
            + members.keys.filter { !seen.contains($0) }.sorted().map { name in
                ConnectionMistake(
                    String(name.prefix(64)), "there is no such setting for this kind of connection",
                    "Remove it, or correct its name.")
            }
    }

    private mutating func value(_ name: String) -> JSONValue? {
        seen.insert(name)
        return members[name]
    }

    private mutating func refuse(_ name: String, _ expected: String) {
        mistakes.append(ConnectionMistake(name, "expected \(expected)", "Correct its type."))
    }

    /// The kind never changes.
    mutating func check(type: String) {
        guard let told = value("type"), told.stringValue != type else { return }
        mistakes.append(
            ConnectionMistake(
                "type", "the connection is of the type \(type)", "Remove it, and add one of the other type."))
    }

    mutating func text(_ name: String, _ target: inout String) {
        var text: String? = target
        self.text(name, &text)
        target = text ?? ""
    }

    mutating func text(_ name: String, _ target: inout String?) {
        switch value(name) {
        case nil: return
        case .null, .string(""): target = nil
        case .string(let text) where text.utf8.count <= Limits.connectionTextBytesMax: target = text
        default: refuse(name, "a text of at most \(Limits.connectionTextBytesMax) bytes")
        }
    }

    mutating func flag(_ name: String, _ target: inout Bool, or standard: Bool) {
        switch value(name) {
        case nil: return
        case .null: target = standard
        case .bool(let flag): target = flag
        default: refuse(name, "true or false")
        }
    }

    mutating func integer(_ name: String, _ target: inout Int64, or standard: Int64) {
        switch value(name) {
        case nil: return
        case .null: target = standard
        case .integer(let number): target = number
        default: refuse(name, "a whole number")
        }
    }

    mutating func texts(_ name: String, _ target: inout [String]) {
        guard let value = value(name) else { return }
        guard value != .null else { return target = [] }
        guard let list = value.stringArrayValue, list.allSatisfy(Self.isShort) else {
            return refuse(name, "a list of texts")
        }
        target = list
    }

    mutating func pairs(_ name: String, _ target: inout [String: String]) {
        guard let value = value(name) else { return }
        guard value != .null else { return target = [:] }
        guard let object = value.objectValue else { return refuse(name, "an object of texts") }
        let texts = object.compactMapValues(\.stringValue)
        guard texts.count == object.count, texts.values.allSatisfy(Self.isShort) else {
            return refuse(name, "an object of texts")
        }
        target = texts
    }

    private static func isShort(_ text: String) -> Bool { text.utf8.count <= Limits.connectionTextBytesMax }
}
