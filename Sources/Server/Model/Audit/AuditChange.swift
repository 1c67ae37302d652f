internal import Crypto
package import KeyturnBase

/// One field that an event changed.
public struct AuditChange: Hashable, Sendable {
    /// Such as `redirect_uris`, or `attributes.plan`.
    public let field: String
    /// `nil`: there was no value.
    public let before: String?
    /// `nil`: there is no value any more.
    public let after: String?

    public init(field: String, before: String?, after: String?) {
        self.field = field
        self.before = before
        self.after = after
    }
}

/// What an event changed: at most ``Limits/auditChangesMax`` fields, ordered by name, without secrets.
///
/// The chain of the log covers ``digest`` alone. So the values can be removed, with the salt, when their user is
/// erased, and nothing that is left tells what they were.
public struct AuditChanges: Hashable, Sendable {
    /// Not empty.
    public let list: [AuditChange]
    /// Random bytes of this event alone.
    public let salt: [UInt8]

    /// As they were stored.
    public init(_ list: [AuditChange], salt: [UInt8]) {
        self.list = list
        self.salt = salt
    }

    /// SHA-256 over the salt and, of each change, field, before and after in the form of ``AuditChain``.
    public var digest: [UInt8] {
        var bytes = salt
        for change in list {
            for member in [change.field, change.before, change.after] { AuditChain.append(member, to: &bytes) }
        }
        return Array(SHA256.hash(data: bytes))
    }

    /// For people and programs: an object for each change, without `before` or `after` where there was no value.
    package var json: JSONValue {
        .array(
            list.map { change in
                var members: [String: JSONValue] = ["field": .string(change.field)]
                members["before"] = change.before.map(JSONValue.string)
                members["after"] = change.after.map(JSONValue.string)
                return .object(members)
            })
    }

    /// Reads ``json``.
    package static func list(_ json: JSONValue?) -> [AuditChange] {
        (json?.arrayValue ?? []).compactMap { item in
            item["field"]?.stringValue.map {
                AuditChange(field: $0, before: item["before"]?.stringValue, after: item["after"]?.stringValue)
            }
        }
    }
}
