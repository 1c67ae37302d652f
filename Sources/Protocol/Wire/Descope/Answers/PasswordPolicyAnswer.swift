public import KeyturnBase

/// What a new password must have. The server may demand more.
public struct PasswordPolicyAnswer: Hashable, Sendable {
    /// In characters.
    public var minLength: Int64
    /// Whether a lower-case letter must be in it.
    public var lowercase: Bool
    /// Whether an upper-case letter must be in it.
    public var uppercase: Bool
    /// Whether a digit must be in it.
    public var number: Bool
    /// Whether a character must be in it that is neither letter nor digit.
    public var nonAlphanumeric: Bool

    /// Rules; what is left out is not asked for.
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
