package import KeyturnBase

/// A filter as it was written, with its attributes found in the schema (RFC 7644 §3.4.2.2).
package indirect enum SCIMFilterNode: Hashable, Sendable {
    /// An operator; all are read in any case.
    package enum Comparison: String, Hashable, Sendable {
        case eq, ne, co, sw, ew, gt, lt, ge, le

        var isOrder: Bool { [.gt, .lt, .ge, .le].contains(self) }
    }

    case and([SCIMFilterNode])
    case or([SCIMFilterNode])
    case not(SCIMFilterNode)
    case present(SCIMPath)
    case compare(SCIMPath, Comparison, JSONValue)
    /// One element of a multi-valued attribute meets all of it.
    case element(SCIMPath, SCIMFilterNode)
}

extension SCIMFilterNode {
    /// Whether an element of a multi-valued attribute meets the filter, whose paths begin with that attribute.
    package func matches(_ element: JSONValue) -> Bool {
        switch self {
        case .and(let parts): parts.allSatisfy { $0.matches(element) }
        case .or(let parts): parts.contains { $0.matches(element) }
        case .not(let part): !part.matches(element)
        case .present(let path): Self.value(path, in: element) != nil
        case .element: false
        case .compare(let path, let comparison, let wanted):
            Self.compare(Self.value(path, in: element), comparison, wanted, path.last)
        }
    }

    private static func value(_ path: SCIMPath, in element: JSONValue) -> JSONValue? {
        guard path.steps.count > 1 else { return element["value"] ?? (element.objectValue == nil ? element : nil) }
        return element[path.last.name]
    }

    private static func compare(
        _ value: JSONValue?, _ comparison: Comparison, _ wanted: JSONValue, _ attribute: SCIMAttribute
    ) -> Bool {
        if comparison == .ne { return !compare(value, .eq, wanted, attribute) }
        if wanted == .null { return comparison == .eq && value == nil }
        guard let left = value.flatMap(text), let right = text(wanted) else { return false }
        let (one, other) = (attribute.folded(left), attribute.folded(right))
        return switch comparison {
        case .eq: one == other
        case .ne: one != other
        case .co: one.contains(other)
        case .sw: one.hasPrefix(other)
        case .ew: one.hasSuffix(other)
        case .gt: one > other
        case .lt: one < other
        case .ge: one >= other
        case .le: one <= other
        }
    }

    /// A simple value as text, as it is compared.
    package static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .null, .number, .array, .object: nil
        }
    }

    /// The members of an element that would meet the filter, if it demands nothing but equality; else `nil`.
    package var equalities: [String: JSONValue]? {
        switch self {
        case .compare(let path, .eq, let value) where value != .null:
            return [path.steps.count > 1 ? path.last.name : "value": value]
        case .and(let parts):
            var result: [String: JSONValue] = [:]
            for part in parts {
                guard let members = part.equalities else { return nil }
                result.merge(members) { first, _ in first }
            }
            return result
        default: return nil
        }
    }

    /// The texts of a filter that demands that `value` is one of them; else `nil`.
    package var wantedValues: [String]? {
        switch self {
        case .compare(let path, .eq, .string(let text)) where path.last.key == "value" || path.steps.count == 1:
            return [text]
        case .or(let parts):
            let lists = parts.compactMap(\.wantedValues)
            return lists.count == parts.count ? lists.flatMap(\.self) : nil
        default: return nil
        }
    }
}
