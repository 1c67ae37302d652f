internal import CPostgreSQL
internal import Foundation

/// The result of a statement, in the binary format. Its rows stay valid as long as one of them is used.
@safe final class PostgreSQLRows {
    private let result: OpaquePointer
    let count: Int

    /// - Parameter result: is cleared with this object.
    @unsafe init(_ result: OpaquePointer) {
        unsafe self.result = result
        count = Int(unsafe PQntuples(result))
    }

    deinit { unsafe PQclear(result) }

    subscript(_ row: Int) -> SQLRow { SQLRow(cells: PostgreSQLRow(rows: self, row: Int32(row))) }

    /// How many rows the statement changed; 0 for one that only reads.
    var changed: Int {
        guard let tag = unsafe PQcmdStatus(result), let count = unsafe PQcmdTuples(result) else { return 0 }
        let word = unsafe String(cString: tag)
        guard ["INSERT", "UPDATE", "DELETE"].contains(where: word.hasPrefix) else { return 0 }
        return Int(unsafe String(cString: count)) ?? 0
    }

    /// The first word of what the server says it did.
    var tag: String { unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? "" }

    fileprivate func column(_ name: String) -> Int {
        let number = unsafe PQfnumber(result, name)
        precondition(number >= 0, "\(name) is no column of the result")
        return Int(number)
    }

    fileprivate func type(_ column: Int) -> Oid { unsafe PQftype(result, Int32(column)) }

    fileprivate func bytes<Value>(_ row: Int32, _ column: Int, _ read: (UnsafeRawBufferPointer) -> Value) -> Value? {
        guard unsafe PQgetisnull(result, row, Int32(column)) == 0 else { return nil }
        let start = unsafe PQgetvalue(result, row, Int32(column))
        let count = Int(unsafe PQgetlength(result, row, Int32(column)))
        return unsafe read(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// One row of a result.
struct PostgreSQLRow: SQLCells {
    let rows: PostgreSQLRows
    let row: Int32

    func text(_ column: Int) -> String? {
        unsafe rows.bytes(row, column) { unsafe String(decoding: $0, as: UTF8.self) }
    }
    func bytes(_ column: Int) -> Data? { unsafe rows.bytes(row, column) { unsafe Data($0) } }

    /// Integers of any width and Booleans are numbers of as many bytes, the first one the highest.
    func integer(_ column: Int) -> Int64? {
        precondition(PostgreSQLType.integers.contains(rows.type(column)), "column \(column) is no integer")
        return unsafe rows.bytes(row, column) { bytes in
            let isNegative = (unsafe bytes.first).map { $0 >= 0x80 } ?? false
            return unsafe bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
        }
    }

    func text(_ column: String) -> String? { text(rows.column(column)) }
    func integer(_ column: String) -> Int64? { integer(rows.column(column)) }
    func bytes(_ column: String) -> Data? { bytes(rows.column(column)) }
}

/// Numbers of types, which are the same in every database.
enum PostgreSQLType {
    /// `bool`, `int2`, `int4` and `int8`.
    static let integers: Set<Oid> = [16, 21, 23, 20]

    /// The type of an array.
    static func array(of type: SQLType) -> Oid {
        switch type {
        case .text: 1_009
        case .integer: 1_016
        case .bytes: 1_001
        case .real: 1_022
        }
    }

    static func number(_ type: SQLType) -> Oid {
        switch type {
        case .text: 25
        case .integer: 20
        case .bytes: 17
        case .real: 701
        }
    }
}
