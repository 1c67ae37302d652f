public import KeyturnBase

/// What a request wants in detail, beyond what names of scopes can say (RFC 9396 §2): JSON objects, each with a `type`.
public struct AuthorizationDetails: Hashable, Sendable {
    /// The objects in the order in which they were sent.
    public let elements: [[String: JSONValue]]

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

    /// The same, from parsed JSON.
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

    public var json: [JSONValue] { elements.map(JSONValue.object) }
    /// The wire form.
    public var text: String { String(decoding: JSONValue.array(json).serialized, as: UTF8.self) }

    /// Whether each of these is allowed by one of `granted`: of the same type, with less or the same in every common
    /// field (§2.2), and the same in every other one.
    public func isWithin(_ granted: AuthorizationDetails) -> Bool {
        elements.allSatisfy { asked in granted.elements.contains { Self.isWithin(asked, $0) } }
    }

    /// Common data fields whose values are sets (§2.2).
    private static let sets = ["locations", "actions", "datatypes", "privileges"]

    /// Whether the common fields of one object hold what §2.2 says: lists of texts, and a text.
    public static func isWellFormed(_ element: [String: JSONValue]) -> Bool {
        element["type"]?.stringValue?.isEmpty == false && element["identifier"].map { $0.stringValue != nil } ?? true
            && sets.allSatisfy { name in element[name].map { $0.stringArrayValue?.isEmpty == false } ?? true }
    }

    private static func isWithin(_ asked: [String: JSONValue], _ granted: [String: JSONValue]) -> Bool {
        // A field that was granted with limits and is left out now would be asked for without them.
        guard granted.keys.allSatisfy({ asked[$0] != nil }) else { return false }
        return asked.allSatisfy { name, value in
            guard let limit = granted[name] else {
                // More fields say more precisely what is wanted; but only those whose meaning is known to narrow.
                return sets.contains(name) || name == "identifier"
            }
            guard sets.contains(name), let wanted = value.stringArrayValue, let allowed = limit.stringArrayValue else {
                return value == limit
            }
            return Set(wanted).isSubset(of: allowed)
        }
    }
}
