internal import Model

/// The work on one pair of databases, and what came of it.
struct CopyRun {
    private let source: any WholeDatabase
    private let target: any WholeDatabase
    private let batchRows: Int
    private let onProgress: (CopyProgress) throws -> Void
    private let shapes: [RowShape]
    private let counts: [Int]
    private var total: Int { counts.reduce(0, +) }
    private(set) var report = CopyReport()

    init(
        _ source: any WholeDatabase, _ target: any WholeDatabase, batchRows: Int,
        onProgress: @escaping (CopyProgress) throws -> Void
    ) throws {
        (self.source, self.target, self.batchRows, self.onProgress) = (source, target, batchRows, onProgress)
        shapes = try CopiedTable.all.map { try RowShape($0, source, target) }
        counts = try shapes.map { shape in try source.answering(for: .from) { try source.count(of: shape) } }
        for (shape, count) in zip(shapes, counts) { report.add(shape.table.name, rows: count) }
        report.otherConnections = try source.answering(for: .from) { try source.otherConnections }
    }

    /// Copies what was not copied yet.
    mutating func copy(_ journal: CopyJournal) throws {
        for (shape, count) in zip(shapes, counts) { try copy(shape, count, journal) }
    }

    private mutating func copy(_ shape: RowShape, _ count: Int, _ journal: CopyJournal) throws {
        var place = try target.answering(for: .to) { try journal.place(of: shape) }
        report.earlierRows += place.rows
        var pages = RowPages(shape, source, after: place.key, pageRows: batchRows)
        while !place.isDone {
            let rows = try source.answering(for: .from) { try pages.nextPage() }
            var next = place
            next.rows += rows.count
            next.isDone = rows.count < batchRows
            if let last = rows.last { next.key = shape.key(of: last) }
            try target.answering(for: .to) { try write(rows, shape, from: place, to: next, journal) }
            place = next
            report.copiedRows += rows.count
            try tell(.copying, shape, place.rows, count, report.earlierRows + report.copiedRows)
        }
    }

    private func write(
        _ rows: [CopiedRow], _ shape: RowShape, from place: CopyJournal.Place, to next: CopyJournal.Place,
        _ journal: CopyJournal
    ) throws {
        let writer = RowWriter(shape: shape, database: target)
        do {
            try target.transaction {
                // First: it finds out whether another process was here, before rows are there twice.
                try journal.move(shape, from: place, to: next)
                if shape.table.hasFirstRow, place.rows == 0 {
                    try target.session.run("DELETE FROM \(shape.quotedName)", [])
                }
                try writer.insert(rows)
                if next.isDone { try takeNumbers(shape) }
            }
        } catch let error as StoreError where error.code == .conflict {
            try writer.findRefused(in: rows)
        }
    }

    /// Numbers of rows that were removed are not given again.
    private func takeNumbers(_ shape: RowShape) throws {
        guard let column = shape.table.numbered else { return }
        let used = try source.answering(for: .from) { try source.lastNumber(of: column, in: shape.table.name) }
        let highest =
            try target.session.search(
                "SELECT max(\"\(column)\") AS number FROM \(shape.quotedName)", []
            ).first?["number"] as Int64?
        try target.setLastNumber(max(used, highest ?? 0), of: column, in: shape.table.name)
    }

    /// Compares all rows.
    mutating func compare() throws {
        let comparison = RowComparison(source: source, target: target, pageRows: batchRows)
        for (shape, count) in zip(shapes, counts) {
            var differences: [RowDifference] = []
            var uncounted = 0
            var rows = 0
            let before = report.comparedRows
            try comparison.compare(shape) { difference in
                if differences.count < CopyLimits.differencesShown {
                    differences.append(difference)
                } else {
                    uncounted += 1
                }
            } onRows: { more in
                rows += more
                try tell(.comparing, shape, rows, count, before + rows)
            }
            report.comparedRows += rows
            for difference in differences { report.add(difference) }
            report.differenceCount += uncounted
        }
    }

    /// Finds out whether the source was written since its snapshot was taken.
    mutating func lookForChanges() throws {
        report.hasSourceChanged = try source.answering(for: .from) {
            try source.hasChanged(CopiedTable.all.map(\.name))
        }
    }

    private func tell(
        _ phase: CopyProgress.Phase, _ shape: RowShape, _ tableRows: Int, _ tableTotal: Int, _ rows: Int
    ) throws {
        try onProgress(
            CopyProgress(
                phase: phase, table: shape.table.name, tableRows: tableRows, tableTotal: tableTotal, rows: rows,
                total: total))
    }
}
