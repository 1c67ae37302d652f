public import KeyturnBase

/// Who is to sign in: one or the other name that the relying party has for a user.
///
/// Both are matched without regard to case.
public enum PasskeyUser: Hashable, Sendable {
    /// The relying party's own, stable identifier.
    case id(String)
    /// What people type.
    case username(String)

    /// Whether the name is short enough to be one; an empty one names no user.
    public var isWithinBounds: Bool { PasskeyLimits.userCharacters.contains(value.unicodeScalars.count) }

    /// The name, whichever it is.
    public var value: String {
        switch self {
        case .id(let value), .username(let value): value
        }
    }
}

extension PasskeyUser: PasskeyMessage {
    /// Reads a selector. If it has both names, `id` counts. Older clients say `handle` for `username`.
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json, path: "user")
        if let id = try members.optionalText("id", bounds: PasskeyLimits.userCharacters) {
            self = .id(id)
        } else {
            self = .username(try members.username())
        }
    }

    public var json: JSONValue {
        switch self {
        case .id(let id): ["id": .string(id)]
        case .username(let username): ["username": .string(username)]
        }
    }
}

extension PasskeyUser: CustomStringConvertible, CustomDebugStringConvertible {
    /// Which name it is; the name itself is a person's.
    public var description: String {
        switch self {
        case .id: "PasskeyUser.id(…)"
        case .username: "PasskeyUser.username(…)"
        }
    }
    public var debugDescription: String { description }
}
