internal import Foundation
internal import KeyturnBase

/// The roles of a file and those of the database. A role is the same if its name is, in the same tenant; its identifier
/// is another one where a configuration file made it. So lists of roles are translated.
struct TransferRoles {
    private struct Name: Hashable {
        let tenant: CopiedValue
        let name: CopiedValue
    }

    private struct Role {
        let id: String
        let name: Name
        let rest: [CopiedValue]
    }

    private var byName: [Name: Role] = [:]
    private var byID: [String: Role] = [:]
    /// The identifier here, for one in the file that is another one here.
    private var translations: [String: String] = [:]

    private static let compared = ["permissions", "is_default", "description"]

    init(of database: any WholeDatabase, _ layout: TransferLayout?) throws {
        guard let layout else { return }
        var pages = RowPages(
            try RowShape(layout.table.copied, database, database), database, after: nil,
            pageRows: CopyLimits.batchRowsMax)
        let all = try TransferLayout.layout(of: layout.table, in: database)
        while case let page = try pages.nextPage(), !page.isEmpty {
            for row in page {
                let role = Self.role(TransferRow(values: row.values), all)
                byName[role.name] = role
                byID[role.id] = role
            }
        }
    }

    private static func role(_ row: TransferRow, _ layout: TransferLayout) -> Role {
        Role(
            id: row["id", layout].text ?? "",
            name: Name(tenant: row["tenant_id", layout], name: row["name", layout]),
            rest: row.values(compared, layout))
    }

    /// What becomes of a role of the file.
    enum Meeting {
        case new
        /// The same one is there, perhaps under another identifier.
        case same
        /// One with this name is there, with other permissions; or this identifier has another name.
        case other(TransferCollision)
    }

    /// Looks whether a role is there, and remembers under which identifier.
    mutating func meet(_ row: TransferRow, _ layout: TransferLayout) -> Meeting {
        let role = Self.role(row, layout)
        if let there = byName[role.name] {
            if there.id != role.id { translations[role.id] = there.id }
            guard there.rest != role.rest else { return .same }
            return .other(
                TransferCollision(
                    table: layout.table.name, key: layout.words(["tenant_id", "name"], of: row),
                    reason: "is there, with other permissions"))
        }
        guard byID[role.id] == nil else {
            return .other(
                TransferCollision(
                    table: layout.table.name, key: layout.words(["id"], of: row), reason: "is there under another name")
            )
        }
        return .new
    }

    /// The row with the identifiers that its roles have here.
    func translated(_ row: TransferRow, _ layout: TransferLayout) -> TransferRow {
        guard !translations.isEmpty else { return row }
        var result = row
        for (place, column) in layout.columns.enumerated() {
            guard let text = row.values[place].text else { continue }
            switch layout.table.columns[column.name] {
            case .role: result.values[place] = .text(translations[text] ?? text)
            case .roles: if let json = list(try? parsed(text)) { result.values[place] = .text(json.columnText) }
            case .rolesByTenant:
                guard let members = try? parsed(text).objectValue else { continue }
                let tenants = members.mapValues { list($0) ?? $0 }
                result.values[place] = .text(JSONValue.object(tenants).columnText)
            default: continue
            }
        }
        return result
    }

    private func parsed(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: text.utf8, limits: .stored)
    }

    private func list(_ json: JSONValue?) -> JSONValue? {
        json?.stringArrayValue.map { .array($0.map { .string(translations[$0] ?? $0) }) }
    }
}
