package import KeyturnBase

/// The first line of an export: what is in it, and where it comes from.
package struct TransferHead: Hashable, Sendable {
    /// The number of this release's format. A later one has a higher number if this release could read it wrongly.
    package static let version = 1

    /// The release that wrote it.
    package let release: String
    /// The number of the last step of the schema.
    package let schema: Int
    package let madeAt: UnixTime
    /// The identifier of the project.
    package let project: String
    package let hasSecrets: Bool
    package let hasSessions: Bool
    package let hasSigningKeys: Bool
    /// Which secrets keyed digests were made with, by purpose.
    let keys: [String: [String]]
    /// The columns of each table, in the order of the tables.
    let tables: [String: [String]]

    static let mark = "keyturn-export"

    var json: JSONValue {
        [
            "format": .string(Self.mark), "version": .integer(Int64(Self.version)), "release": .string(release),
            "schema": .integer(Int64(schema)), "made_at": .integer(madeAt.rawValue), "project": .string(project),
            "secrets": .bool(hasSecrets), "sessions": .bool(hasSessions), "signing_keys": .bool(hasSigningKeys),
            "keys": Self.lists(keys), "tables": Self.lists(tables),
        ]
    }

    private static func lists(_ lists: [String: [String]]) -> JSONValue {
        .object(lists.mapValues { .array($0.map(JSONValue.string)) })
    }
}

extension TransferHead {
    /// Reads the first line of a file.
    ///
    /// - Throws: ``TransferProblem``.
    init(_ line: [UInt8]) throws(TransferProblem) {
        guard let json = try? JSONValue(parsing: line, limits: TransferFormat.headLimits),
            json["format"]?.stringValue == Self.mark, let version = json["version"]?.integerValue
        else { throw .notAnExport }
        guard version <= Self.version else { throw .newer(version: Int(clamping: version)) }
        guard let release = json["release"]?.stringValue, let schema = json["schema"]?.integerValue,
            let madeAt = json["made_at"]?.integerValue, let project = json["project"]?.stringValue,
            let hasSecrets = json["secrets"]?.boolValue, let hasSessions = json["sessions"]?.boolValue,
            let hasSigningKeys = json["signing_keys"]?.boolValue, let keys = Self.lists(json["keys"]),
            let tables = Self.lists(json["tables"])
        else { throw .damaged(line: 1) }
        self.init(
            release: release, schema: Int(clamping: schema), madeAt: UnixTime(rawValue: madeAt), project: project,
            hasSecrets: hasSecrets, hasSessions: hasSessions, hasSigningKeys: hasSigningKeys, keys: keys,
            tables: tables)
    }

    private static func lists(_ json: JSONValue?) -> [String: [String]]? {
        guard let members = json?.objectValue else { return nil }
        let lists = members.compactMapValues(\.stringArrayValue)
        return lists.count == members.count ? lists : nil
    }
}

/// The last line of an export, by which one that was cut or changed is found out.
struct TransferFoot: Hashable, Sendable {
    /// How many rows of each table stand before it.
    let rows: [String: Int]
    /// SHA-256 of all lines before it, in hexadecimal digits.
    let digest: String

    var json: JSONValue {
        ["end": ["rows": .object(rows.mapValues { .integer(Int64($0)) }), "sha256": .string(digest)]]
    }

    /// - Returns: `nil` for another line.
    init?(_ json: JSONValue) {
        guard let end = json["end"], let rows = end["rows"]?.objectValue, let digest = end["sha256"]?.stringValue else {
            return nil
        }
        let counts = rows.compactMapValues { $0.integerValue.map { Int(clamping: $0) } }
        guard counts.count == rows.count else { return nil }
        (self.rows, self.digest) = (counts, digest)
    }

    init(rows: [String: Int], digest: String) {
        (self.rows, self.digest) = (rows, digest)
    }
}

/// Bounds and parts of the format: JSON Lines, a head, a line for each row, and a foot.
enum TransferFormat {
    /// Longest line, in bytes: a row has several columns of up to a mebibyte, which JSON and base64url make longer.
    static let lineBytesMax = 16_777_216
    static let headLimits = JSONValue.Limits(bytesMax: 1_048_576, depthMax: 4, membersMax: 1_000)
    static let lineLimits = JSONValue.Limits(bytesMax: lineBytesMax, depthMax: 4, membersMax: 1_000)
    static let lineFeed = UInt8(ascii: "\n")
    /// Rows that are read, looked up or written at once.
    static let batchRows = 200

    /// A row as a line, without its line feed.
    static func line(_ row: TransferRow, _ layout: TransferLayout) throws(TransferProblem) -> [UInt8] {
        var members: [String: JSONValue] = [:]
        for (column, value) in zip(layout.columns, row.values) {
            guard let json = value.json(column.type) else {
                throw .unfitRow(
                    table: layout.table.name, key: layout.words(layout.key, of: row),
                    reason: "the text of \(column.name) is not UTF-8")
            }
            members[column.name] = json
        }
        return JSONWriter.object { writer in
            writer.member("table", layout.table.name)
            writer.member("row", .object(members))
        }
    }

    /// - Returns: `nil` for a line that is no row with just the columns of the layout.
    static func row(_ json: JSONValue, _ layout: TransferLayout) -> TransferRow? {
        guard let members = json["row"]?.objectValue, members.count == layout.columns.count else { return nil }
        var values: [CopiedValue] = []
        values.reserveCapacity(layout.columns.count)
        for column in layout.columns {
            guard let member = members[column.name], let value = CopiedValue(member, column.type) else { return nil }
            values.append(value)
        }
        return TransferRow(values: values)
    }
}
