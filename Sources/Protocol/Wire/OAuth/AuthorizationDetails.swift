public import KeyturnBase

/// What a request wants in detail, beyond what names of scopes can say (RFC 9396 §2): JSON objects, each with a `type`.
public struct AuthorizationDetails: Hashable, Sendable {
    /// The objects in the order in which they were sent.
    public let elements: [[String: JSONValue]]

    /// Details; each element is one object of the array.
    public init(elements: [[String: JSONValue]]) {
        self.elements = elements
    }

    /// Reads the wire form: an array of objects, each with a `type`. `nil` if it is anything else.
    ///
    /// - Parameter bytesMax: longer texts are not read.
    public init?(parsing text: String, bytesMax: Int = 8_192) {
        let limits = JSONValue.Limits(bytesMax: bytesMax, depthMax: 8, membersMax: 64)
        guard let value = try? JSONValue(parsing: text.utf8, limits: limits) else { return nil }
        self.init(json: value)
    }

    /// Details from parsed JSON; `nil` unless it is a non-empty array of objects with a `type`.
    public init?(json: JSONValue) {
        guard let values = json.arrayValue, !values.isEmpty else { return nil }
        let objects = values.compactMap(\.objectValue)
        guard objects.count == values.count, objects.allSatisfy({ $0["type"]?.stringValue?.isEmpty == false }) else {
            return nil
        }
        elements = objects
    }

    /// The values of `type`, each once, in their order.
    public var types: [String] {
        Scope(names: elements.compactMap { $0["type"]?.stringValue }).names
    }

    /// The array's elements.
    public var json: [JSONValue] { elements.map(JSONValue.object) }
    /// The wire form.
    public var text: String { String(decoding: JSONValue.array(json).serialized, as: UTF8.self) }

    /// Whether these are no more than `granted`: each is one of those, with less or the same in every common field whose
    /// value is a set (§2.2), and the same in every other one. No field comes or goes: what its absence means, only the
    /// API knows. What was granted once counts once.
    public func isWithin(_ granted: AuthorizationDetails) -> Bool {
        var left = granted.elements
        return elements.allSatisfy { asked in
            guard let index = left.firstIndex(where: { Self.isWithin(asked, $0) }) else { return false }
            left.remove(at: index)
            return true
        }
    }

    /// Whether what is about to be done is allowed by these: each element of `needed` by one, which names every field that
    /// `needed` names, with at least its values. Fields that `needed` does not name are not looked at.
    public func covers(_ needed: AuthorizationDetails) -> Bool {
        needed.elements.allSatisfy { needed in
            elements.contains { granted in
                needed.allSatisfy { name, value in granted[name].map { Self.isPart(value, of: $0, name) } ?? false }
            }
        }
    }

    /// Common data fields whose values are sets (§2.2).
    private static let sets = ["locations", "actions", "datatypes", "privileges"]

    /// Whether the common fields of one object hold what §2.2 says: lists of texts, and a text.
    public static func isWellFormed(_ element: [String: JSONValue]) -> Bool {
        element["type"]?.stringValue?.isEmpty == false && element["identifier"].map { $0.stringValue != nil } ?? true
            && sets.allSatisfy { name in element[name].map { $0.stringArrayValue?.isEmpty == false } ?? true }
    }

    private static func isWithin(_ asked: [String: JSONValue], _ granted: [String: JSONValue]) -> Bool {
        Set(asked.keys) == Set(granted.keys)
            && asked.allSatisfy { name, value in granted[name].map { isPart(value, of: $0, name) } ?? false }
    }

    /// An empty set is part of none: to many an API it means everything.
    private static func isPart(_ value: JSONValue, of limit: JSONValue, _ name: String) -> Bool {
        guard sets.contains(name), let wanted = value.stringArrayValue, let allowed = limit.stringArrayValue else {
            return value == limit
        }
        return wanted == allowed || !wanted.isEmpty && Set(wanted).isSubset(of: allowed)
    }
}
