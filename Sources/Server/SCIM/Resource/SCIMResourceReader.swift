package import KeyturnBase
package import Model

/// Brings what a client sends into the form that is kept: the names of the schema, its types, and nothing else.
///
/// Unknown and read-only attributes are left out; `null`, an empty list and no value are the same (RFC 7643 §2.5).
package enum SCIMResourceReader {
    /// The attributes of a whole resource, without `members`.
    ///
    /// - Throws: `invalidValue`; `invalidSyntax` for a body that is no object.
    package static func read(_ json: JSONValue, _ kind: SCIMRecord.Kind) throws(SCIMProblem) -> [String: JSONValue] {
        guard let members = json.objectValue else {
            throw SCIMProblem(400, .invalidSyntax, "The body must be a JSON object.")
        }
        let attributes = SCIMSchemas.all(kind).filter { $0.name != "members" }
        let core = SCIMSchemas.core(kind).lowercased() + ":"
        var plain: [String: JSONValue] = [:]
        for (name, value) in members {
            let key = name.lowercased()
            plain[key.hasPrefix(core) ? String(name.dropFirst(core.count)) : name] = value
        }
        return try object(plain, attributes)
    }

    /// The value of an attribute; `nil`: none.
    package static func value(_ json: JSONValue, _ attribute: SCIMAttribute) throws(SCIMProblem) -> JSONValue? {
        guard attribute.isMultiValued else { return try single(json, attribute) }
        var elements: [JSONValue] = []
        for element in json.arrayValue ?? [json] {
            guard let value = try single(element, attribute) else { continue }
            elements.append(value)
        }
        guard elements.count(where: isPrimary) <= 1 else {
            throw SCIMProblem(400, .invalidValue, "\(attribute.name) has more than one primary value.")
        }
        return elements.isEmpty ? nil : .array(elements)
    }

    package static func isPrimary(_ element: JSONValue) -> Bool { element["primary"]?.boolValue == true }

    private static func single(_ json: JSONValue, _ attribute: SCIMAttribute) throws(SCIMProblem) -> JSONValue? {
        // Entra wraps single values: [{"value": "False"}].
        if let list = json.arrayValue {
            guard list.count <= 1 else { throw invalid(attribute) }
            return try list.first.flatMap { value throws(SCIMProblem) in try single(value, attribute) }
        }
        if json == .null { return nil }
        switch attribute.kind {
        case .complex:
            if let members = json.objectValue {
                let object = try object(members, attribute.parts)
                return object.isEmpty ? nil : .object(object)
            }
            guard let part = attribute.part("value") else { throw invalid(attribute) }
            return try single(json, part).map { ["value": $0] }
        case .boolean:
            if let wrapped = json["value"] { return try single(wrapped, attribute) }
            guard let text = SCIMFilterNode.text(json)?.lowercased(), text == "true" || text == "false" else {
                throw invalid(attribute)
            }
            return .bool(text == "true")
        case .string, .reference, .binary, .dateTime:
            guard json.boolValue == nil, let text = SCIMFilterNode.text(json), !text.utf8.contains(0) else {
                throw invalid(attribute)
            }
            guard text.utf8.count <= Limits.scimTextBytesMax else {
                throw SCIMProblem(413, nil, "\(attribute.name) is longer than \(Limits.scimTextBytesMax) bytes.")
            }
            return text.isEmpty ? nil : .string(text)
        }
    }

    private static func object(_ members: [String: JSONValue], _ attributes: [SCIMAttribute])
        throws(SCIMProblem) -> [String: JSONValue]
    {
        let byKey = Dictionary(attributes.map { ($0.key, $0) }) { first, _ in first }
        var result: [String: JSONValue] = [:]
        for (name, json) in members.sorted(by: { $0.key < $1.key }) {
            guard let attribute = byKey[name.lowercased()], !attribute.isReadOnly else { continue }
            guard let value = try value(json, attribute) else { continue }
            guard result.updateValue(value, forKey: attribute.name) == nil else {
                throw SCIMProblem(400, .invalidSyntax, "\(attribute.name) is there twice.")
            }
        }
        return result
    }

    private static func invalid(_ attribute: SCIMAttribute) -> SCIMProblem {
        SCIMProblem(400, .invalidValue, "\(attribute.name) is of another type.")
    }
}
