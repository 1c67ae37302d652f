internal import Foundation
internal import KeyturnBase
internal import Model

/// What was copied so far. It is a table of the database that is copied into, written in the same transactions as the
/// rows, and removed when the copy is finished.
struct CopyJournal {
    /// How far one table is.
    struct Place {
        /// The key of the last row; `nil`: none.
        var key: [CopiedValue]?
        var rows: Int
        var isDone: Bool
    }

    static let table = "database_copy"

    let database: any WholeDatabase

    /// Keeps servers out, and notes that nothing was copied. Runs in a transaction.
    func begin(source: String) throws {
        try database.session.run(
            """
            CREATE TABLE \(Self.table) (name TEXT PRIMARY KEY NOT NULL, source TEXT NOT NULL, place TEXT,
                row_count BIGINT NOT NULL, is_done BIGINT NOT NULL)
            """, [])
        for table in CopiedTable.all {
            try database.session.run(
                "INSERT INTO \(Self.table) (name, source, row_count, is_done) VALUES (?, ?, 0, 0)",
                [table.name, source])
        }
        try database.setUnfinished(true)
    }

    /// What the copy that was begun is one of; `nil` if it is of something else.
    func isCopy(of source: String) throws -> Bool {
        let others = "SELECT count(*) AS number FROM \(Self.table) WHERE source <> ?"
        return try database.session.first(others, [source])?["number"] == 0
    }

    func place(of shape: RowShape) throws -> Place {
        guard
            let row = try database.session.first(
                "SELECT place, row_count, is_done FROM \(Self.table) WHERE name = ?", [shape.table.name])
        else { throw CopyProblem.unknownTable(shape.table.name) }
        let text: String? = row["place"]
        return Place(
            key: try text.map { try Self.key($0, shape) }, rows: row["row_count"], isDone: row["is_done"])
    }

    /// Moves the place of a table. Runs in the transaction of the rows.
    ///
    /// - Throws: ``CopyProblem/taken`` if it was moved by another process.
    func move(_ shape: RowShape, from old: Place, to new: Place) throws {
        let count = try database.session.run(
            """
            UPDATE \(Self.table) SET place = ?, row_count = ?, is_done = ?
            WHERE name = ? AND row_count = ? AND is_done = 0
            """, [new.key.map { Self.text($0, shape) }, new.rows, new.isDone, shape.table.name, old.rows])
        guard count == 1 else { throw CopyProblem.taken }
    }

    /// Lets servers in. Runs in a transaction.
    func end() throws {
        try database.session.run("DROP TABLE \(Self.table)", [])
        try database.setUnfinished(false)
    }

    /// A JSON array: texts as they are, bytes in base64url.
    private static func text(_ key: [CopiedValue], _ shape: RowShape) -> String {
        JSONValue.array(
            zip(key, shape.keyColumns).map { value, column in
                switch value {
                case .null: .null
                case .integer(let number): .integer(number)
                case .bytes(let bytes) where column.type == .text: .string(String(decoding: bytes, as: UTF8.self))
                case .bytes(let bytes): .string(Base64URL.encode(Array(bytes)))
                }
            }
        ).columnText
    }

    private static func key(_ text: String, _ shape: RowShape) throws -> [CopiedValue] {
        let parts = try JSONValue(parsing: text.utf8, limits: .stored).arrayValue ?? []
        return try zip(parts, shape.keyColumns).map { part, column in
            switch (part, column.type) {
            case (.integer(let number), _): return .integer(number)
            case (.string(let text), .text): return .bytes(Data(text.utf8))
            case (.string(let text), _):
                guard let bytes = Base64URL.decode(text) else { throw SQLProblem.damagedRow }
                return .bytes(Data(bytes))
            default: throw SQLProblem.damagedRow
            }
        }
    }
}
