internal import Foundation

/// One row of a result. Columns are read by name, or by position where there are many.
struct SQLRow {
    let cells: any SQLCells

    subscript<Value: SQLReadable>(_ column: String) -> Value {
        guard let value = Value.read(cells, column) else { preconditionFailure("\(column) is never null") }
        return value
    }

    subscript<Value: SQLReadable>(_ column: String) -> Value? { Value.read(cells, column) }

    subscript<Value: SQLReadable>(_ column: Int) -> Value {
        guard let value = Value.read(cells, column) else { preconditionFailure("column \(column) is never null") }
        return value
    }

    subscript<Value: SQLReadable>(_ column: Int) -> Value? { Value.read(cells, column) }
}

/// The columns of a row in an engine's form; `nil` is a null.
protocol SQLCells {
    func text(_ column: Int) -> String?
    func text(_ column: String) -> String?
    /// A Boolean is 0 or 1 here, in every engine.
    func integer(_ column: Int) -> Int64?
    func integer(_ column: String) -> Int64?
    func bytes(_ column: Int) -> Data?
    func bytes(_ column: String) -> Data?
}

/// A type that a column can be read as.
protocol SQLReadable {
    static func read(_ cells: any SQLCells, _ column: Int) -> Self?
    static func read(_ cells: any SQLCells, _ column: String) -> Self?
}

extension String: SQLReadable {
    static func read(_ cells: any SQLCells, _ column: Int) -> String? { cells.text(column) }
    static func read(_ cells: any SQLCells, _ column: String) -> String? { cells.text(column) }
}

extension Int64: SQLReadable {
    static func read(_ cells: any SQLCells, _ column: Int) -> Int64? { cells.integer(column) }
    static func read(_ cells: any SQLCells, _ column: String) -> Int64? { cells.integer(column) }
}

extension Int: SQLReadable {
    static func read(_ cells: any SQLCells, _ column: Int) -> Int? { cells.integer(column).map { Int($0) } }
    static func read(_ cells: any SQLCells, _ column: String) -> Int? { cells.integer(column).map { Int($0) } }
}

extension Bool: SQLReadable {
    static func read(_ cells: any SQLCells, _ column: Int) -> Bool? { cells.integer(column).map { $0 != 0 } }
    static func read(_ cells: any SQLCells, _ column: String) -> Bool? { cells.integer(column).map { $0 != 0 } }
}

extension Data: SQLReadable {
    static func read(_ cells: any SQLCells, _ column: Int) -> Data? { cells.bytes(column) }
    static func read(_ cells: any SQLCells, _ column: String) -> Data? { cells.bytes(column) }
}

/// Errors in a database's results.
enum SQLProblem: Error {
    /// A row that no release wrote: an error, never a guess.
    case damagedRow
    /// A statement that always returns a row did not.
    case noRow
    /// A value that no column accepts.
    case unfitValue
}
