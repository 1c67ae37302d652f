internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Converts values to columns and back. Rows never leave this module.
extension SQLRow {
    func time(_ column: String) -> UnixTime {
        UnixTime(rawValue: self[column])
    }

    func optionalTime(_ column: String) -> UnixTime? {
        (self[column] as Int64?).map(UnixTime.init(rawValue:))
    }

    func bytes(_ column: String) -> [UInt8] {
        Array(self[column] as Data)
    }

    func words(_ column: String) -> [String] {
        (self[column] as String).split(separator: " ").map(String.init)
    }

    var authentication: AuthenticationFacts {
        AuthenticationFacts(
            time: time("auth_time"), methods: words("amr"), contextClass: self["acr"], tenantID: self["vouched_by"])
    }

    /// A column that holds a JSON object.
    func members(_ column: String) throws -> [String: JSONValue] {
        try Self.members(self[column])
    }

    /// A column that holds a JSON array of strings.
    func list(_ column: String) throws -> [String] {
        guard let list = try? JSONValue(parsing: (self[column] as String).utf8, limits: .stored).stringArrayValue else {
            throw SQLProblem.damagedRow
        }
        return list
    }

    static func members(_ text: String) throws -> [String: JSONValue] {
        guard let members = try? JSONValue(parsing: text.utf8, limits: .stored).objectValue else {
            throw SQLProblem.damagedRow
        }
        return members
    }
}

extension JSONValue.Limits {
    /// The limits of stored JSON, which was checked before it was written.
    static let stored = JSONValue.Limits(bytesMax: 1_048_576, depthMax: 32, membersMax: 10_000)
}

extension [String] {
    /// The JSON array that goes into a column.
    var columnText: String { JSONValue.array(map(JSONValue.string)).columnText }
}

extension JSONValue {
    /// The text that goes into a column.
    var columnText: String { String(decoding: serialized, as: UTF8.self) }
}
