internal import KeyturnBase
internal import Model

/// Carries out one operation on the attributes of a resource.
struct SCIMChange {
    private let verb: SCIMPatch.Operation.Verb
    private let path: SCIMPath
    private let filter: SCIMFilterNode?
    private let value: JSONValue?

    init(_ operation: SCIMPatch.Operation) {
        verb = operation.verb
        path = operation.target.path
        filter = operation.target.filter
        value = operation.value
    }

    func applied(to attributes: [String: JSONValue]) throws(SCIMProblem) -> [String: JSONValue] {
        try change(attributes, path.steps[...])
    }

    /// An object after the operation on what the steps lead to.
    private func change(_ object: [String: JSONValue], _ steps: ArraySlice<SCIMAttribute>)
        throws(SCIMProblem) -> [String: JSONValue]
    {
        guard let attribute = steps.first else { return object }
        var result = object
        let present = object[attribute.name]
        let rest = steps.dropFirst()
        if attribute.isMultiValued {
            let elements = try change(present?.arrayValue ?? [], of: attribute, rest)
            result[attribute.name] = elements.isEmpty ? nil : .array(elements)
        } else if rest.isEmpty {
            result[attribute.name] = try newValue(present, attribute)
        } else {
            let inner = try change(present?.objectValue ?? [:], rest)
            result[attribute.name] = inner.isEmpty ? nil : .object(inner)
        }
        return result
    }

    /// A value that is no list.
    private func newValue(_ present: JSONValue?, _ attribute: SCIMAttribute) throws(SCIMProblem) -> JSONValue? {
        if verb == .remove { return nil }
        guard let sent = try SCIMResourceReader.value(value ?? .null, attribute) else {
            return verb == .add ? present : nil
        }
        guard let old = present?.objectValue, let new = sent.objectValue else { return sent }
        return .object(old.merging(new) { _, new in new })
    }

    /// A list after the operation.
    private func change(_ elements: [JSONValue], of attribute: SCIMAttribute, _ rest: ArraySlice<SCIMAttribute>)
        throws(SCIMProblem) -> [JSONValue]
    {
        if filter == nil, rest.isEmpty { return try whole(elements, attribute) }
        var result = elements
        var touched = elements.indices.filter { filter?.matches(elements[$0]) ?? true }
        if touched.isEmpty, verb != .remove {
            var fresh: [String: JSONValue] = [:]
            if let filter {
                // Entra sets `emails[type eq "work"].value` of users who have no such address.
                guard let members = filter.equalities else {
                    throw SCIMProblem(400, .noTarget, "No value of \(attribute.name) meets the filter.")
                }
                fresh = try SCIMResourceReader.value(.object(members), attribute)?.arrayValue?.first?.objectValue ?? [:]
            }
            result.append(.object(fresh))
            touched = [result.count - 1]
        }
        for index in touched {
            result[index] = try changed(result[index], attribute, rest)
        }
        result = result.filter { $0 != [:] && $0 != .null }
        return onePrimary(result, before: elements)
    }

    /// One element after the operation; `null`: it is gone.
    private func changed(_ element: JSONValue, _ attribute: SCIMAttribute, _ rest: ArraySlice<SCIMAttribute>)
        throws(SCIMProblem) -> JSONValue
    {
        guard rest.isEmpty else { return .object(try change(element.objectValue ?? [:], rest)) }
        if verb == .remove { return .null }
        guard let sent = try SCIMResourceReader.value(value ?? .null, attribute)?.arrayValue?.first else {
            return element
        }
        guard let old = element.objectValue, let new = sent.objectValue else { return sent }
        return .object(old.merging(new) { _, new in new })
    }

    /// The list after an operation on all of it.
    private func whole(_ elements: [JSONValue], _ attribute: SCIMAttribute) throws(SCIMProblem) -> [JSONValue] {
        let sent = try SCIMResourceReader.value(value ?? .null, attribute)?.arrayValue ?? []
        switch verb {
        case .replace: return sent
        case .add:
            return onePrimary(elements + sent.filter { !elements.contains($0) }, before: elements)
        case .remove:
            guard value != nil, value != .null else { return [] }
            return elements.filter { element in
                !sent.contains { $0 == element || ($0["value"] != nil && $0["value"] == element["value"]) }
            }
        }
    }

    /// A value that becomes primary takes that from the one that was.
    private func onePrimary(_ elements: [JSONValue], before: [JSONValue]) -> [JSONValue] {
        guard elements.count(where: SCIMResourceReader.isPrimary) > 1 else { return elements }
        let newest =
            elements.lastIndex { SCIMResourceReader.isPrimary($0) && !before.contains($0) }
            ?? elements.lastIndex(where: SCIMResourceReader.isPrimary)
        return elements.enumerated().map { index, element in
            guard index != newest, SCIMResourceReader.isPrimary(element), var members = element.objectValue else {
                return element
            }
            members["primary"] = false
            return .object(members)
        }
    }
}
