internal import KeyturnBase

/// The first line of a CSV file: what each column means.
struct CSVHeader {
    private enum Kind {
        case text, boolean, list, tenants, json
        /// A member of `claims`, `attributes` or `address`.
        case member(of: String, String)
    }

    private let columns: [(name: String, kind: Kind)]

    /// - Throws: ``CommandFailure`` if a column means nothing, or stands twice.
    init(_ row: RawRow<[String]>) throws {
        guard case .success(let names) = row.content else {
            throw CommandFailure.refused("the first line, which names the columns, cannot be read.")
        }
        var columns: [(name: String, kind: Kind)] = []
        for name in names {
            let name = String(name.trimming { $0 == " " })
            guard let kind = Self.kind(name) else {
                let hint = Suggestion.nearest(to: name, among: UserRowReader.keys).map { "Did you mean \"\($0)\"?" }
                throw CommandFailure.refused(
                    """
                    no column is called "\(Printable.text(name))". \
                    \(hint ?? "Rename it attributes.NAME to keep it with the user, or leave it out.")
                    """)
            }
            guard !columns.contains(where: { $0.name == name }) else {
                throw CommandFailure.refused("the column \(name) stands twice. Keep one of them.")
            }
            columns.append((name, kind))
        }
        self.columns = columns
    }

    /// What stands between the names: whichever of comma, semicolon and tab the first line has most of.
    static func separator(in bytes: [UInt8]) -> UInt8 {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let counts = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].map { byte in
            (byte, line.count { $0 == byte })
        }
        return counts.max { $0.1 < $1.1 && $0.1 != $1.1 }.flatMap { $0.1 > 0 ? $0.0 : nil } ?? UInt8(ascii: ",")
    }

    /// The same as a JSON object; an empty cell says nothing.
    func members(_ fields: [String]) throws(Refusal) -> [String: JSONValue] {
        guard fields.count == columns.count else {
            throw Refusal(
                "it has \(fields.count) fields, and the first line names \(columns.count)",
                "Put fields that hold a separator into quotation marks.")
        }
        var members: [String: JSONValue] = [:]
        for (column, text) in zip(columns, fields) where !text.isEmpty {
            guard case .member(let parent, let name) = column.kind else {
                members[column.name] = try Self.value(text, column.kind, column.name)
                continue
            }
            var inner = members[parent]?.objectValue ?? [:]
            inner[name] = .string(text)
            members[parent] = .object(inner)
        }
        return members
    }

    private static func kind(_ name: String) -> Kind? {
        switch name {
        case "email_verified", "phone_number_verified", "test": return .boolean
        case "login_ids", "roles": return .list
        case "tenants": return .tenants
        case "claims", "attributes", "address", "password_hash": return .json
        default: break
        }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2, ["claims", "attributes", "address"].contains(parts[0]) {
            return .member(of: parts[0], parts[1])
        }
        return UserRowReader.keys.contains(name) ? .text : nil
    }

    private static func value(_ text: String, _ kind: Kind, _ name: String) throws(Refusal) -> JSONValue {
        switch kind {
        case .boolean: return .bool(try boolean(text, name))
        case .list, .tenants, .json:
            if let first = text.utf8.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
                guard let value = try? JSONValue(parsing: text.utf8) else {
                    throw Refusal("\(name): it begins like JSON, and is none", "Correct it.")
                }
                return value
            }
            if case .json = kind { return .string(text) }
            let parts = text.split(separator: "|").map { String($0.trimming { $0 == " " }) }
            guard case .tenants = kind else { return .array(parts.map(JSONValue.string)) }
            return .array(parts.map { ["id": .string($0)] })
        case .text, .member: return .string(text)
        }
    }

    private static func boolean(_ text: String, _ name: String) throws(Refusal) -> Bool {
        switch text.trimming({ $0 == " " }).lowercased() {
        case "true", "1", "yes", "t", "y": return true
        case "false", "0", "no", "f", "n": return false
        default: throw Refusal("\(name): it is neither true nor false", "Write true or false.")
        }
    }
}

extension StringProtocol {
    /// Without the characters at both ends for which `isBlank` holds.
    func trimming(_ isBlank: (Character) -> Bool) -> SubSequence {
        let rest = drop(while: isBlank)
        return rest[..<(rest.lastIndex { !isBlank($0) }.map(rest.index(after:)) ?? rest.startIndex)]
    }
}
