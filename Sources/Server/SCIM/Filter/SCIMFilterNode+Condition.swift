internal import KeyturnBase
package import Model

/// From a filter to what the store compares.
extension SCIMFilterNode {
    /// - Throws: `invalidFilter` for a comparison that means nothing.
    package func condition() throws(SCIMProblem) -> SCIMCondition {
        switch self {
        case .and(let parts): return .all(try Self.conditions(parts))
        case .or(let parts): return .any(try Self.conditions(parts))
        case .not(let part): return .not(try part.condition())
        case .element(let path, let part):
            if path.key == "members" || path.key == "groups" {
                guard let ids = part.wantedValues else { throw Self.meaningless(path) }
                return .any(ids.map(SCIMCondition.linked))
            }
            return .element(attribute: path.key, try part.condition())
        case .present(let path): return try Self.present(path)
        case .compare(let path, let comparison, let value):
            if comparison == .ne {
                return .not(try SCIMFilterNode.compare(path, .eq, value).condition())
            }
            if value == .null {
                guard comparison == .eq else { throw Self.meaningless(path) }
                return .not(try Self.present(path))
            }
            return try Self.comparison(path, comparison, value)
        }
    }

    private static func conditions(_ parts: [SCIMFilterNode]) throws(SCIMProblem) -> [SCIMCondition] {
        var result: [SCIMCondition] = []
        for part in parts { result.append(try part.condition()) }
        return result
    }

    private static func meaningless(_ path: SCIMPath) -> SCIMProblem {
        SCIMProblem(400, .invalidFilter, "\(path.last.name) cannot be compared in this way.")
    }

    private static func present(_ path: SCIMPath) throws(SCIMProblem) -> SCIMCondition {
        switch path.first.key {
        // Every resource has these.
        case "id", "schemas", "meta": .not(.id(.equal, ""))
        case "members", "groups": .anyLinked
        default: .value(path: path.key, .present, "")
        }
    }

    private static func comparison(_ path: SCIMPath, _ comparison: Comparison, _ value: JSONValue)
        throws(SCIMProblem) -> SCIMCondition
    {
        let attribute = path.last
        let match = match(comparison)
        guard let text = text(value) else { throw meaningless(path) }
        switch path.first.key {
        case "id":
            guard value.stringValue != nil else { throw meaningless(path) }
            return .id(match, text)
        case "members", "groups":
            guard comparison == .eq, value.stringValue != nil, path.steps.count == 1 || attribute.key == "value" else {
                throw meaningless(path)
            }
            return .linked(text)
        case "meta":
            guard attribute.kind == .dateTime, ![.co, .sw, .ew].contains(comparison),
                let time = SCIMTime.read(text)
            else { throw meaningless(path) }
            return .moment(attribute.key == "created" ? .created : .lastModified, match, time)
        case "schemas": throw meaningless(path)
        default: break
        }
        switch attribute.kind {
        case .boolean:
            guard comparison == .eq, ["true", "false"].contains(text.lowercased()) else { throw meaningless(path) }
            return .value(path: path.key, .equal, text.lowercased())
        case .complex:
            guard attribute.isMultiValued, attribute.part("value") != nil else { throw meaningless(path) }
        case .binary where comparison != .eq: throw meaningless(path)
        default: break
        }
        guard value.boolValue == nil, [.co, .sw, .ew].contains(comparison) ? !text.isEmpty : true else {
            throw meaningless(path)
        }
        let compared = attribute.part("value") ?? attribute
        return .value(path: path.key, match, compared.folded(text))
    }

    private static func match(_ comparison: Comparison) -> SCIMCondition.Match {
        switch comparison {
        case .eq, .ne: .equal
        case .co: .contains
        case .sw: .startsWith
        case .ew: .endsWith
        case .gt: .greater
        case .ge: .greaterOrEqual
        case .lt: .less
        case .le: .lessOrEqual
        }
    }
}
