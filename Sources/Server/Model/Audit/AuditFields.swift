public import KeyturnBase

/// Something whose changes the audit log tells.
public protocol Audited: Sendable {
    /// What the log may tell of it. A secret is set by ``AuditFields/set(secret:_:)`` alone.
    ///
    /// - Parameter roleName: the name of a role by its identifier.
    func auditFields(_ roleName: (String) -> String) -> AuditFields
}

/// The state of something as fields with texts, to be compared with another state.
public struct AuditFields: Hashable, Sendable {
    private struct Value: Hashable {
        let text: String
        var isSecret = false
    }

    private var values: [String: Value] = [:]

    public init() {}

    /// An object gets a field for each member, a list of texts one with commas. What is empty is no value.
    public mutating func set(_ name: String, _ value: JSONValue?) {
        switch value {
        case nil, .null?, .array([])?, .string("")?: values[name] = nil
        case .object(let members)?:
            for (member, value) in members { set("\(name).\(member)", Self.flat(value)) }
        case let value?: values[name] = Value(text: Self.text(value))
        }
    }

    /// As `set(_:_:)`, for each member.
    public mutating func set(_ members: [String: JSONValue]) {
        for (name, value) in members { set(name, value) }
    }

    public mutating func set(_ name: String, _ texts: some Sequence<String>) {
        set(name, .array(texts.map(JSONValue.string)))
    }

    /// A secret, or its digest: it is compared, and nothing of it is told.
    public mutating func set(secret name: String, _ value: String?) {
        values[name] = value.flatMap { $0.isEmpty ? nil : Value(text: $0, isSecret: true) }
    }

    /// What differs, ordered by name and within the limits. Of a secret: `set` and `changed`.
    static func changes(from before: AuditFields?, to after: AuditFields?) -> [AuditChange] {
        let (old, new) = (before?.values ?? [:], after?.values ?? [:])
        let differing = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted()
        let isCut = differing.count > Limits.auditChangesMax
        let fields = differing.prefix(isCut ? Limits.auditChangesMax - 1 : Limits.auditChangesMax).map { name in
            AuditChange(
                field: cut(name, Limits.auditFieldBytesMax), before: told(old[name], "set"),
                after: told(new[name], old[name] == nil ? "set" : "changed"))
        }
        guard isCut else { return fields }
        return fields + [AuditChange(field: mark, before: nil, after: "+\(differing.count - fields.count)")]
    }

    /// Stands where something was cut.
    private static let mark = "…"

    private static func told(_ value: Value?, _ word: String) -> String? {
        value.map { $0.isSecret ? word : cut($0.text, Limits.auditValueBytesMax) }
    }

    private static func cut(_ text: String, _ bytesMax: Int) -> String {
        let text = text.utf8.contains(0) ? text.replacing("\u{0}", with: "\u{2400}") : text
        guard text.utf8.count > bytesMax else { return text }
        var kept = ""
        for scalar in text.unicodeScalars {
            guard kept.utf8.count + String(scalar).utf8.count <= bytesMax else { break }
            kept.unicodeScalars.append(scalar)
        }
        return kept + mark
    }

    /// A member's value as one text.
    private static func flat(_ value: JSONValue) -> JSONValue {
        if case .object = value { return .string(text(value)) }
        return value
    }

    private static func text(_ value: JSONValue) -> String {
        value.stringValue ?? value.stringArrayValue?.joined(separator: ", ")
            ?? String(decoding: value.serialized, as: UTF8.self)
    }
}
