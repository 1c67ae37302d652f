package import KeyturnBase

/// One attribute of a schema (RFC 7643 §7).
package struct SCIMAttribute: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case string, boolean, complex, reference, binary, dateTime
    }

    package let name: String
    package let kind: Kind
    package let isMultiValued: Bool
    package let isRequired: Bool
    package let isReadOnly: Bool
    /// Whether case matters when it is compared.
    package let isCaseExact: Bool
    package let uniqueness: String
    package let description: String
    package let canonicalValues: [String]
    package let referenceTypes: [String]
    package let parts: [SCIMAttribute]

    package init(
        _ name: String, _ kind: Kind = .string, _ description: String = "", isMultiValued: Bool = false,
        isRequired: Bool = false, isReadOnly: Bool = false, isCaseExact: Bool = false, uniqueness: String = "none",
        canonicalValues: [String] = [], referenceTypes: [String] = [], parts: [SCIMAttribute] = []
    ) {
        self.name = name
        self.kind = kind
        self.description = description.isEmpty ? name : description
        self.isMultiValued = isMultiValued
        self.isRequired = isRequired
        self.isReadOnly = isReadOnly
        self.isCaseExact = isCaseExact || kind == .binary || kind == .reference
        self.uniqueness = uniqueness
        self.canonicalValues = canonicalValues
        self.referenceTypes = referenceTypes
        self.parts = parts
    }

    /// The name as it is compared.
    package var key: String { name.lowercased() }

    /// The sub-attribute of this name, in any case.
    package func part(_ name: String) -> SCIMAttribute? {
        let key = name.lowercased()
        return parts.first { $0.key == key }
    }

    /// A text in the spelling that is compared.
    package func folded(_ text: String) -> String { isCaseExact ? text : text.lowercased() }

    /// As `/Schemas` shows it.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "type": .string(kind.rawValue), "multiValued": .bool(isMultiValued),
            "description": .string(description), "required": .bool(isRequired),
            "mutability": isReadOnly ? "readOnly" : "readWrite", "returned": "default",
        ]
        if kind != .complex, kind != .boolean {
            members["caseExact"] = .bool(isCaseExact)
            members["uniqueness"] = .string(uniqueness)
        }
        if !canonicalValues.isEmpty { members["canonicalValues"] = .array(canonicalValues.map(JSONValue.string)) }
        if !referenceTypes.isEmpty { members["referenceTypes"] = .array(referenceTypes.map(JSONValue.string)) }
        if !parts.isEmpty { members["subAttributes"] = .array(parts.map(\.json)) }
        return .object(members)
    }
}
