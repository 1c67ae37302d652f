internal import Foundation
internal import KeyturnBase
internal import Model

/// Writes rows of a file, many with one statement, in the transaction of its caller.
struct TransferWriter {
    private let database: any WholeDatabase
    private let seals: TransferSeals
    private let secrets: ServerSecrets
    private let roles: TransferRoles
    private let now: UnixTime
    /// What is added to the numbers of each table.
    private let bases: [String: Int64]
    /// Whether rows are written, and not only made.
    private let writes: Bool
    private var waiting: [TransferRow] = []
    private var layout: TransferLayout?

    init(
        into database: any WholeDatabase, secrets: ServerSecrets, _ survey: TransferSurvey, writes: Bool,
        ambient: Ambient
    ) throws {
        (self.database, self.secrets, self.writes) = (database, secrets, writes)
        seals = TransferSeals(secrets, ambient: ambient)
        (roles, now) = (survey.roles, ambient.now())
        var bases: [String: Int64] = [:]
        for table in TransferTable.all {
            guard let column = table.copied.numbered else { continue }
            // Also a row whose number was not given by the engine.
            let highest = "SELECT coalesce(max(\"\(column)\"), 0) AS number FROM \"\(table.name)\""
            let base = max(
                try database.lastNumber(of: column, in: table.name),
                try database.session.search(highest, []).first?["number"] ?? 0)
            bases[table.name] = base
            let (last, isTooHigh) = base.addingReportingOverflow(survey.numbers[table.name] ?? 0)
            guard !isTooHigh else {
                throw TransferProblem.refused(table: table.name, reason: "there is no higher number than those here")
            }
            if writes, last > base { try database.setLastNumber(last, of: column, in: table.name) }
        }
        self.bases = bases
    }

    mutating func add(_ row: TransferRow, _ layout: TransferLayout) throws {
        if self.layout?.table.name != layout.table.name { try flush() }
        self.layout = layout
        waiting.append(try made(row, layout))
        if waiting.count * layout.columns.count >= database.parametersMax { try flush() }
    }

    /// Writes what waits.
    mutating func flush() throws {
        guard let layout, !waiting.isEmpty else { return }
        let most = max(1, database.parametersMax / layout.columns.count)
        for start in stride(from: 0, to: waiting.count, by: most) {
            try insert(waiting[start..<min(start + most, waiting.count)], layout)
        }
        waiting = []
    }

    private func insert(_ rows: ArraySlice<TransferRow>, _ layout: TransferLayout) throws {
        let names = layout.columns.map(\.name)
        let values = try rows.flatMap { try $0.parameters(names, layout) }
        guard writes else { return }
        let places = "(\(names.map { _ in "?" }.joined(separator: ", ")))"
        let all = repeatElement(places, count: rows.count).joined(separator: ", ")
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        do {
            try database.session.run("INSERT INTO \"\(layout.table.name)\" (\(list)) VALUES \(all)", values)
        } catch {
            guard error.code == .conflict else { throw error }
            throw TransferProblem.refused(
                table: layout.table.name, reason: database.reason(of: error) ?? "it does not go with what is there")
        }
    }

    /// The row as it is here.
    private func made(_ row: TransferRow, _ layout: TransferLayout) throws -> TransferRow {
        guard var result = seals.sealed(roles.translated(row, layout), layout) else {
            preconditionFailure("sealing succeeds")
        }
        for (place, column) in layout.columns.enumerated() {
            switch (layout.table.columns[column.name], row.values[place]) {
            case (.number(let table), .integer(let number)):
                let (sum, isTooHigh) = number.addingReportingOverflow(bases[table] ?? 0)
                guard !isTooHigh else {
                    throw TransferProblem.unfitRow(
                        table: layout.table.name, key: layout.words(layout.key, of: row),
                        reason: "its number \(column.name) is too high")
                }
                result.values[place] = .integer(sum)
            case (.retired, .integer(let time)): result.values[place] = .integer(min(time, now.rawValue))
            case (.unmanaged, _): result.values[place] = .integer(0)
            case (.keyed(let purpose), .bytes(let digest)):
                let isKnown = secrets.keys(for: purpose).contains { digest.starts(with: $0.id) }
                if !isKnown { result.values[place] = .null }
            default: continue
            }
        }
        return result
    }
}
