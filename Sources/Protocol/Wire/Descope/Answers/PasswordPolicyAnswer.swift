public import KeyturnBase

/// What a new password must have. The server may demand more.
public struct PasswordPolicyAnswer: Hashable, Sendable {
    /// In characters.
    public var minLength: Int64
    public var lowercase: Bool
    public var uppercase: Bool
    public var number: Bool
    public var nonAlphanumeric: Bool

    public init(
        minLength: Int64, lowercase: Bool = false, uppercase: Bool = false, number: Bool = false,
        nonAlphanumeric: Bool = false
    ) {
        self.minLength = minLength
        self.lowercase = lowercase
        self.uppercase = uppercase
        self.number = number
        self.nonAlphanumeric = nonAlphanumeric
    }
}

extension PasswordPolicyAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        guard let minLength = try body.integer("minLength") else { throw .missing("minLength") }
        self.init(
            minLength: minLength, lowercase: try body.flag("lowercase") ?? false,
            uppercase: try body.flag("uppercase") ?? false, number: try body.flag("number") ?? false,
            nonAlphanumeric: try body.flag("nonAlphanumeric") ?? false)
    }

    /// All five, always.
    public var json: JSONValue {
        [
            "minLength": .integer(minLength), "lowercase": .bool(lowercase), "uppercase": .bool(uppercase),
            "number": .bool(number), "nonAlphanumeric": .bool(nonAlphanumeric),
        ]
    }
}
