internal import Foundation
internal import KeyturnBase
internal import Model

/// Reads a file to its end, and looks which of its rows meet rows that are there. Nothing is written.
struct TransferSurvey {
    private let database: any WholeDatabase
    private(set) var report: TransferReport
    private(set) var roles: TransferRoles
    /// Rows that are there with the same values, by table and key.
    private(set) var there: [String: Set<[CopiedValue]>] = [:]
    /// Rows that what is there is in the way of.
    private(set) var blocked: [String: Set<[CopiedValue]>] = [:]
    /// The highest number of each table that has numbers of its own.
    private(set) var numbers: [String: Int64] = [:]

    private var lookup: TransferLookup
    private var connections: Set<String> = []

    /// - Parameter reader: at the first row.
    init(
        _ reader: inout TransferReader, in database: any WholeDatabase,
        onProgress: (TransferProgress) throws -> Void
    ) throws {
        self.database = database
        report = TransferReport(head: reader.head)
        roles = try TransferRoles(of: database, reader.layouts["role"])
        lookup = TransferLookup(database)
        try run(&reader, onProgress)
        report.digest = reader.digestText
        report.rows = TransferTable.all.filter { reader.layouts[$0.name] != nil }.map {
            TransferReport.TableRows(table: $0.name, rows: reader.rows[$0.name] ?? 0)
        }
        try findConnections()
    }

    private mutating func run(
        _ reader: inout TransferReader, _ onProgress: (TransferProgress) throws -> Void
    ) throws {
        var batch: [TransferRow] = []
        var current: TransferLayout?
        var done = 0
        while let (row, layout) = try reader.next() {
            if current?.table.name != layout.table.name || batch.count == TransferFormat.batchRows {
                if let current { try look(at: batch, current) }
                (batch, current) = ([], layout)
            }
            batch.append(row)
            done += 1
            try onProgress(TransferProgress(phase: .checking, rows: done, total: nil))
        }
        if let current { try look(at: batch, current) }
    }

    private mutating func look(at rows: [TransferRow], _ layout: TransferLayout) throws {
        for row in rows { note(row, layout) }
        if layout.table.name == "role" {
            for row in rows { meet(role: row, layout) }
            return
        }
        // Rows that a unique before has found.
        var settled: Set<TransferRow> = []
        for (place, unique) in layout.table.uniques.enumerated() {
            let candidates = rows.filter { !settled.contains($0) }
            for (row, found) in try lookup.find(candidates, unique, layout) {
                settled.insert(row)
                if place == 0, isSame(row, found, layout) {
                    there[layout.table.name, default: []].insert(row.values(layout.key, layout))
                } else {
                    block(row, layout, unique.columns, "is there already")
                }
            }
        }
        for row in try lookup.namesakes(rows.filter { !settled.contains($0) }, layout) {
            let columns = layout.table.name == "user" ? ["id"] : ["value"]
            block(row, layout, columns, "would be the login ID of one user and the identifier of another")
        }
    }

    private mutating func note(_ row: TransferRow, _ layout: TransferLayout) {
        let name = layout.table.name
        if let column = layout.table.copied.numbered, let number = row[column, layout].number {
            numbers[name] = max(numbers[name] ?? 0, number)
        }
        switch name {
        case "passkey":
            guard row["user_id", layout] != .null, let domain = row["rp_id", layout].text else { return }
            report.passkeyDomains.insert(domain)
        case "federated_identity":
            if let id = row["connection_id", layout].text { report.missingConnections.insert(id) }
        case "connection":
            if let id = row["id", layout].text { connections.insert(id) }
        default: break
        }
    }

    private mutating func findConnections() throws {
        for row in try database.session.all("SELECT id FROM connection", []) { connections.insert(row["id"]) }
        report.missingConnections.subtract(connections)
    }

    private mutating func meet(role row: TransferRow, _ layout: TransferLayout) {
        let key = row.values(layout.key, layout)
        switch roles.meet(row, layout) {
        case .new: break
        case .same: there[layout.table.name, default: []].insert(key)
        case .other(let collision):
            report.add(collision)
            blocked[layout.table.name, default: []].insert(key)
        }
    }

    private mutating func block(
        _ row: TransferRow, _ layout: TransferLayout, _ columns: [String], _ reason: String
    ) {
        report.add(
            TransferCollision(table: layout.table.name, key: layout.words(columns, of: row), reason: reason))
        // Without one of the login IDs a user would not be the same: all of the user stays behind.
        if layout.table.name == "identifier" {
            blocked["user", default: []].insert([row["user_id", layout]])
        } else {
            blocked[layout.table.name, default: []].insert(row.values(layout.key, layout))
        }
    }

    private func isSame(_ row: TransferRow, _ found: [String: CopiedValue], _ layout: TransferLayout) -> Bool {
        let compared = layout.table.compared.filter { column in
            let isSecret = layout.table.columns[column] == .secret
            return layout.place(column) != nil && (report.head.hasSecrets || !isSecret)
        }
        return !compared.isEmpty && compared.allSatisfy { Self.isSame(row[$0, layout], found[$0] ?? .null) }
    }

    /// Members of JSON objects have no order.
    private static func isSame(_ one: CopiedValue, _ other: CopiedValue) -> Bool {
        if one == other { return true }
        guard let texts = one.text.map(\.utf8), let others = other.text.map(\.utf8),
            let json = try? JSONValue(parsing: texts, limits: .stored)
        else { return false }
        return json == (try? JSONValue(parsing: others, limits: .stored))
    }
}
