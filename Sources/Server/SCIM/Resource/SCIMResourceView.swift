package import KeyturnBase
package import Model

/// A resource as it is answered, with the attributes that the client wants (RFC 7644 §3.9).
package struct SCIMResourceView: Sendable {
    private enum Choice: Sendable {
        case all
        case only([SCIMPath])
        case without([SCIMPath])
    }

    private let base: String
    private let kind: SCIMRecord.Kind
    private let choice: Choice

    /// - Parameters:
    ///   - attributes: names of attributes; unknown ones are not looked at.
    ///   - excluded: not together with `attributes`.
    /// - Throws: `invalidValue` if both are given.
    package init(base: String, _ kind: SCIMRecord.Kind, attributes: [String] = [], excluded: [String] = [])
        throws(SCIMProblem)
    {
        guard attributes.isEmpty || excluded.isEmpty else {
            throw SCIMProblem(400, .invalidValue, "attributes and excludedAttributes exclude each other.")
        }
        self.base = base
        self.kind = kind
        let wanted = attributes.prefix(Limits.scimFilterTermsMax * 2).compactMap { SCIMPath($0, kind) }
        let unwanted = excluded.prefix(Limits.scimFilterTermsMax * 2).compactMap { SCIMPath($0, kind) }
        choice = !attributes.isEmpty ? .only(wanted) : !excluded.isEmpty ? .without(unwanted) : .all
    }

    /// Whether members, or groups, are part of the answer.
    package var showsLinks: Bool {
        let name = kind == .group ? "members" : "groups"
        return switch choice {
        case .all: true
        case .only(let paths): paths.contains { $0.first.key == name }
        case .without(let paths): !paths.contains { $0.key == name }
        }
    }

    /// The address of a resource.
    package static func location(_ id: String, _ kind: SCIMRecord.Kind, base: String) -> String {
        "\(base)/\(kind.rawValue)s/\(id)"
    }

    package static func version(_ record: SCIMRecord) -> String { "W/\"\(record.version)\"" }

    package func json(_ record: SCIMRecord, links: [SCIMLink]) -> JSONValue {
        var members = record.attributes
        var schemas: [JSONValue] = [.string(SCIMSchemas.core(kind))]
        if members[SCIMSchemas.enterprise] != nil { schemas.append(.string(SCIMSchemas.enterprise)) }
        members["meta"] = [
            "resourceType": .string(kind.rawValue), "created": .string(SCIMTime.text(record.createdAt)),
            "lastModified": .string(SCIMTime.text(record.updatedAt)),
            "location": .string(Self.location(record.id, kind, base: base)),
            "version": .string(Self.version(record)),
        ]
        if !links.isEmpty {
            let other: SCIMRecord.Kind = kind == .group ? .user : .group
            members[kind == .group ? "members" : "groups"] = .array(
                links.map { link in
                    var member: [String: JSONValue] = [
                        "value": .string(link.id), "$ref": .string(Self.location(link.id, other, base: base)),
                        "type": kind == .group ? "User" : "direct",
                    ]
                    // Clients compare members with what they sent, which has no such name.
                    if kind == .user { member["display"] = link.display.map(JSONValue.string) }
                    return .object(member)
                })
        }
        members = chosen(members)
        members["id"] = .string(record.id)
        members["schemas"] = .array(schemas)
        return .object(members)
    }

    private func chosen(_ members: [String: JSONValue]) -> [String: JSONValue] {
        switch choice {
        case .all: return members
        case .only(let paths):
            var result: [String: JSONValue] = [:]
            for path in paths {
                guard let value = members[path.first.name] else { continue }
                let names = path.steps.dropFirst().map(\.name)
                let part = names.isEmpty ? value : Self.keep(names[...], of: value)
                guard let part else { continue }
                result[path.first.name] = result[path.first.name].map { Self.merged($0, part) } ?? part
            }
            return result
        case .without(let paths):
            var result = members
            for path in paths {
                guard let value = result[path.first.name] else { continue }
                result[path.first.name] = Self.drop(path.steps.dropFirst().map(\.name)[...], of: value)
            }
            return result
        }
    }

    private static func keep(_ names: ArraySlice<String>, of value: JSONValue) -> JSONValue? {
        guard let name = names.first else { return value }
        if let list = value.arrayValue { return .array(list.map { keep(names, of: $0) ?? [:] }) }
        return value[name].flatMap { keep(names.dropFirst(), of: $0) }.map { .object([name: $0]) }
    }

    private static func drop(_ names: ArraySlice<String>, of value: JSONValue) -> JSONValue? {
        guard let name = names.first else { return nil }
        if let list = value.arrayValue { return .array(list.compactMap { drop(names, of: $0) }) }
        guard var members = value.objectValue else { return value }
        members[name] = members[name].flatMap { drop(names.dropFirst(), of: $0) }
        return members.isEmpty ? nil : .object(members)
    }

    /// Two parts of the same value.
    private static func merged(_ one: JSONValue, _ other: JSONValue) -> JSONValue {
        if let left = one.objectValue, let right = other.objectValue {
            return .object(left.merging(right, uniquingKeysWith: merged))
        }
        if let left = one.arrayValue, let right = other.arrayValue, left.count == right.count {
            return .array(zip(left, right).map(merged))
        }
        return one
    }
}
