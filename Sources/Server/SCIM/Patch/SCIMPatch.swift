package import KeyturnBase
package import Model

/// The operations of a PATCH, in order: all of them or none (RFC 7644 §3.5.2).
package struct SCIMPatch: Sendable {
    package struct Operation: Sendable {
        package enum Verb: String, Sendable {
            case add, replace, remove
        }

        package let verb: Verb
        package let target: SCIMTarget
        /// `nil`: none was sent.
        package let value: JSONValue?
    }

    package let operations: [Operation]

    /// Reads a body as the standard has it, and as Entra and Okta send it: any case of `op` and `Operations`, and an
    /// object without a path, whose names are paths.
    ///
    /// - Throws: 413 for too many operations; `invalidSyntax`, `invalidPath`, `invalidFilter`, `noTarget`.
    package init(_ body: JSONValue, _ kind: SCIMRecord.Kind) throws(SCIMProblem) {
        guard let members = body.objectValue,
            let list = members.first(where: { $0.key.lowercased() == "operations" })?.value.arrayValue, !list.isEmpty
        else { throw SCIMProblem(400, .invalidSyntax, "Operations is missing or empty.") }
        guard list.count <= Limits.scimPatchOperationsMax else {
            throw SCIMProblem(413, nil, "A PATCH has at most \(Limits.scimPatchOperationsMax) operations.")
        }
        var operations: [Operation] = []
        for entry in list { operations += try Self.operations(entry, kind) }
        self.operations = operations
    }

    private static func operations(_ entry: JSONValue, _ kind: SCIMRecord.Kind) throws(SCIMProblem) -> [Operation] {
        let members = Dictionary((entry.objectValue ?? [:]).map { ($0.key.lowercased(), $0.value) }) { first, _ in first
        }
        guard let verb = members["op"]?.stringValue.flatMap({ Operation.Verb(rawValue: $0.lowercased()) }) else {
            throw SCIMProblem(400, .invalidSyntax, "op must be add, replace or remove.")
        }
        let value = members["value"]
        if let text = members["path"]?.stringValue, !text.isEmpty {
            return [Operation(verb: verb, target: try SCIMFilterParser.path(text, kind), value: value)]
        }
        guard verb != .remove else { throw SCIMProblem(400, .noTarget, "remove needs a path.") }
        guard let attributes = value?.objectValue else {
            throw SCIMProblem(400, .invalidSyntax, "An operation without a path needs an object as its value.")
        }
        var result: [Operation] = []
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            // Okta repeats the identifier; unknown attributes are not kept.
            guard let target = try? SCIMFilterParser.path(name, kind), !target.path.isReadOnly else { continue }
            result.append(Operation(verb: verb, target: target, value: value))
        }
        return result
    }

    /// The attributes after the operations; those on `members` are left out.
    ///
    /// - Throws: `mutability`, `noTarget`, `invalidValue`.
    package func applied(to attributes: [String: JSONValue]) throws(SCIMProblem) -> [String: JSONValue] {
        var result = attributes
        for operation in operations where operation.target.path.first.key != "members" {
            guard !operation.target.path.isReadOnly else {
                throw SCIMProblem(400, .mutability, "\(operation.target.path.first.name) cannot be changed.")
            }
            if operation.verb == .remove, operation.target.path.first.isRequired {
                throw SCIMProblem(400, .mutability, "\(operation.target.path.first.name) cannot be removed.")
            }
            result = try SCIMChange(operation).applied(to: result)
        }
        return result
    }

    /// What the operations do to the members of a group.
    ///
    /// - Throws: `invalidValue`, `invalidFilter`, `invalidPath`.
    package func members() throws(SCIMProblem) -> [SCIMGroupChange.Members] {
        var result: [SCIMGroupChange.Members] = []
        for operation in operations where operation.target.path.first.key == "members" {
            guard operation.target.path.steps.count == 1 else {
                throw SCIMProblem(400, .mutability, "A member cannot be changed, only added and removed.")
            }
            result.append(try Self.step(operation))
        }
        return result
    }

    private static func step(_ operation: Operation) throws(SCIMProblem) -> SCIMGroupChange.Members {
        if let filter = operation.target.filter {
            guard operation.verb == .remove else {
                throw SCIMProblem(400, .invalidPath, "Members are added without a filter.")
            }
            guard let ids = filter.wantedValues else {
                throw SCIMProblem(400, .invalidFilter, "Members are found by their value alone.")
            }
            return .remove(ids)
        }
        switch (operation.verb, operation.value) {
        case (.add, let value): return .add(try memberIDs(value ?? .null))
        case (.replace, let value): return .replace(try memberIDs(value ?? .null))
        // Entra names those that go; only without a value do all of them go.
        case (.remove, let value?) where value != .null: return .remove(try memberIDs(value))
        case (.remove, _): return .replace([])
        }
    }

    /// The identifiers in a list of members.
    ///
    /// - Throws: `invalidValue`; 413 for too many.
    package static func memberIDs(_ value: JSONValue) throws(SCIMProblem) -> [String] {
        if value == .null { return [] }
        var ids: [String] = []
        var seen: Set<String> = []
        for member in value.arrayValue ?? [value] {
            let key = member.objectValue?.first { $0.key.lowercased() == "value" }?.value
            guard let id = member.stringValue ?? key?.stringValue else { throw .unknownMember }
            if seen.insert(id).inserted { ids.append(id) }
        }
        guard ids.count <= Limits.scimGroupMembersMax else { throw .tooManyMembers }
        return ids
    }
}
