public import KeyturnBase

/// A message of the passkey service's wire, in both directions.
///
/// Unknown members are ignored, since clients send extras; known ones have their type or are absent, and `null` is the
/// same as absent.
public protocol PasskeyMessage: Sendable {
    /// The object to send.
    var json: JSONValue { get }
    /// Reads an object.
    init(json: JSONValue) throws(PasskeyMessageProblem)
}

extension PasskeyMessage {
    /// Parses a body, which must be an object.
    public init(
        parsing bytes: some Collection<UInt8>, limits: JSONValue.Limits = .standard
    ) throws(PasskeyMessageProblem) {
        guard let json = try? JSONValue(parsing: bytes, limits: limits) else { throw PasskeyMessageProblem(.notJSON) }
        try self.init(json: json)
    }
}

/// The members of an object, each of its type.
struct PasskeyMembers {
    let members: [String: JSONValue]
    private let path: String

    init(_ json: JSONValue, path: String = "") throws(PasskeyMessageProblem) {
        guard let members = json.objectValue else { throw PasskeyMessageProblem(.notAnObject, path) }
        self.members = members
        self.path = path
    }

    func name(_ member: String) -> String {
        path.isEmpty ? member : "\(path).\(member)"
    }

    /// The member, unless it is absent or `null`.
    func value(_ member: String) -> JSONValue? {
        members[member] == .null ? nil : members[member]
    }

    func required(_ member: String) throws(PasskeyMessageProblem) -> JSONValue {
        guard let value = value(member) else { throw PasskeyMessageProblem(.missing, name(member)) }
        return value
    }

    func object(_ member: String) throws(PasskeyMessageProblem) -> PasskeyMembers {
        try PasskeyMembers(required(member), path: name(member))
    }

    /// No text has a zero in it: databases and C take that for its end, and one name for another.
    func optionalText(_ member: String, bounds: ClosedRange<Int>) throws(PasskeyMessageProblem) -> String? {
        guard let value = value(member) else { return nil }
        guard let text = value.stringValue else { throw PasskeyMessageProblem(.wrongType, name(member)) }
        guard bounds.contains(text.unicodeScalars.count), !text.utf8.contains(0) else {
            throw PasskeyMessageProblem(.outOfBounds, name(member))
        }
        return text
    }

    func text(_ member: String, bounds: ClosedRange<Int>) throws(PasskeyMessageProblem) -> String {
        guard let text = try optionalText(member, bounds: bounds) else {
            throw PasskeyMessageProblem(.missing, name(member))
        }
        return text
    }

    /// What people type; older clients say `handle`.
    func optionalUsername() throws(PasskeyMessageProblem) -> String? {
        if let name = try optionalText("username", bounds: PasskeyLimits.userCharacters) { return name }
        return try optionalText("handle", bounds: PasskeyLimits.userCharacters)
    }

    func username() throws(PasskeyMessageProblem) -> String {
        guard let name = try optionalUsername() else { throw PasskeyMessageProblem(.missing, name("username")) }
        return name
    }

    func optionalFlag(_ member: String) throws(PasskeyMessageProblem) -> Bool? {
        guard let value = value(member) else { return nil }
        guard let flag = value.boolValue else { throw PasskeyMessageProblem(.wrongType, name(member)) }
        return flag
    }

    func flag(_ member: String) throws(PasskeyMessageProblem) -> Bool {
        guard let flag = try optionalFlag(member) else { throw PasskeyMessageProblem(.missing, name(member)) }
        return flag
    }

    /// A moment in Unix seconds. One in milliseconds is out of range: it would be tens of thousands of years away.
    func optionalTime(_ member: String) throws(PasskeyMessageProblem) -> UnixTime? {
        guard let value = value(member) else { return nil }
        guard let seconds = value.integerValue else { throw PasskeyMessageProblem(.wrongType, name(member)) }
        guard PasskeyLimits.seconds.contains(seconds) else { throw PasskeyMessageProblem(.outOfBounds, name(member)) }
        return UnixTime(rawValue: seconds)
    }

    func time(_ member: String) throws(PasskeyMessageProblem) -> UnixTime {
        guard let time = try optionalTime(member) else { throw PasskeyMessageProblem(.missing, name(member)) }
        return time
    }

    func optionalInteger(_ member: String, bounds: ClosedRange<Int64>) throws(PasskeyMessageProblem) -> Int64? {
        guard let value = value(member) else { return nil }
        guard let number = value.integerValue else { throw PasskeyMessageProblem(.wrongType, name(member)) }
        guard bounds.contains(number) else { throw PasskeyMessageProblem(.outOfBounds, name(member)) }
        return number
    }

    /// Bytes in base64url without padding.
    func bytes(_ member: String, count: ClosedRange<Int>) throws(PasskeyMessageProblem) -> [UInt8] {
        guard let text = try required(member).stringValue else {
            throw PasskeyMessageProblem(.wrongType, name(member))
        }
        guard text.utf8.count <= (count.upperBound * 4 + 2) / 3 else {
            throw PasskeyMessageProblem(.outOfBounds, name(member))
        }
        guard let bytes = Base64URL.decode(text) else { throw PasskeyMessageProblem(.wrongType, name(member)) }
        guard count.contains(bytes.count) else { throw PasskeyMessageProblem(.outOfBounds, name(member)) }
        return bytes
    }

    /// The texts of a list, empty if it is absent.
    func texts(_ member: String, max: Int) throws(PasskeyMessageProblem) -> [String] {
        guard let value = value(member) else { return [] }
        guard let texts = value.stringArrayValue else { throw PasskeyMessageProblem(.wrongType, name(member)) }
        guard texts.count <= max else { throw PasskeyMessageProblem(.outOfBounds, name(member)) }
        return texts
    }
}
