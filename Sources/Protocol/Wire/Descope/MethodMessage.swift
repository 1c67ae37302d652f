public import KeyturnBase

/// A message of the methods' wire, in both directions.
public protocol MethodMessage: Sendable {
    /// The body to send.
    var json: JSONValue { get }
    /// Reads a body.
    ///
    /// - Throws: ``MethodProblem/missing(_:)`` or ``MethodProblem/invalidArguments``, naming the member.
    init(_ body: MethodBody) throws(MethodProblem)
}

extension MethodMessage {
    /// Reads a value.
    public init(json: JSONValue) throws(MethodProblem) {
        try self.init(MethodBody(json))
    }
}

/// The members of a JSON object as this wire reads them: missing, `null`, `""`, `[]` and `{}` mean the same.
public struct MethodBody: Hashable, Sendable {
    /// Everything as it came.
    public let members: [String: JSONValue]

    /// A body with these members.
    public init(_ members: [String: JSONValue] = [:]) {
        self.members = members
    }

    /// - Throws: ``MethodProblem/badRequest`` for anything but an object or `null`.
    public init(_ json: JSONValue) throws(MethodProblem) {
        switch json {
        case .object(let members): self.members = members
        case .null: members = [:]
        default: throw .badRequest
        }
    }

    /// Parses a body; an empty one has no members.
    ///
    /// - Throws: ``MethodProblem/badRequest``.
    public init(parsing bytes: some Collection<UInt8>, limits: JSONValue.Limits = .standard) throws(MethodProblem) {
        guard !bytes.isEmpty else {
            self.init()
            return
        }
        guard let json = try? JSONValue(parsing: bytes, limits: limits) else { throw .badRequest }
        try self.init(json)
    }

    /// Whether the member was named at all, be it with `null`: what a partial update goes by.
    public func names(_ name: String) -> Bool {
        members[name] != nil
    }

    /// The first of the members called `names` that holds a text. No text has a zero in it: databases and C take that for
    /// its end, and one name for another.
    public func text(_ names: String...) throws(MethodProblem) -> String? {
        for name in names {
            guard let text = try any(name) else { continue }
            guard !text.utf8.contains(0) else { throw .invalidArguments.saying("The \(name) field holds a zero") }
            return text
        }
        return nil
    }

    private func any(_ name: String) throws(MethodProblem) -> String? {
        switch members[name] {
        case nil, .null, .string(""), .object([:]), .array([]): nil
        case .string(let text): text
        default: throw Self.wrongType(name)
        }
    }

    /// The text called `name`.
    ///
    /// - Throws: ``MethodProblem/missing(_:)``.
    public func requiredText(_ name: String) throws(MethodProblem) -> String {
        guard let text = try text(name) else { throw .missing(name) }
        return text
    }

    /// A text that must not be printed.
    public func secret(_ name: String) throws(MethodProblem) -> Secret? {
        try any(name).map { Secret($0) }
    }

    /// - Throws: ``MethodProblem/missing(_:)``.
    public func requiredSecret(_ name: String) throws(MethodProblem) -> Secret {
        guard let secret = try secret(name) else { throw .missing(name) }
        return secret
    }

    /// The first truth value among the members called `names`.
    public func flag(_ names: String...) throws(MethodProblem) -> Bool? {
        for name in names {
            switch members[name] {
            case nil, .null, .string(""), .object([:]), .array([]): continue
            case .bool(let value): return value
            default: throw Self.wrongType(name)
            }
        }
        return nil
    }

    /// A whole number, be it written with a fraction of zero.
    public func integer(_ name: String) throws(MethodProblem) -> Int64? {
        switch members[name] {
        case nil, .null, .string(""), .object([:]), .array([]): return nil
        case .integer(let value): return value
        case .number(let value):
            guard let whole = Int64(exactly: value) else { throw Self.wrongType(name) }
            return whole
        default: throw Self.wrongType(name)
        }
    }

    /// The texts of an array; empty if it is missing.
    public func texts(_ name: String) throws(MethodProblem) -> [String] {
        switch members[name] {
        case nil, .null, .string(""), .object([:]): return []
        case .some(let value):
            guard let texts = value.stringArrayValue else { throw Self.wrongType(name) }
            return texts
        }
    }

    /// The members of an object as they are; empty if it is missing.
    public func object(_ name: String) throws(MethodProblem) -> [String: JSONValue] {
        switch members[name] {
        case nil, .null, .string(""), .array([]): return [:]
        case .object(let members): return members
        default: throw Self.wrongType(name)
        }
    }

    /// An object within; without members if it is missing.
    public func body(_ name: String) throws(MethodProblem) -> MethodBody {
        MethodBody(try object(name))
    }

    /// The objects of an array; empty if it is missing.
    public func bodies(_ name: String) throws(MethodProblem) -> [MethodBody] {
        switch members[name] {
        case nil, .null, .string(""), .object([:]): return []
        case .array(let values):
            var bodies: [MethodBody] = []
            for value in values { bodies.append(try MethodBody(value)) }
            return bodies
        default: throw Self.wrongType(name)
        }
    }

    private static func wrongType(_ name: String) -> MethodProblem {
        .invalidArguments.saying("The \(name) field has the wrong type")
    }
}

extension MethodBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How much there is; what it is may be secret.
    public var description: String { "MethodBody(\(members.count) members)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
