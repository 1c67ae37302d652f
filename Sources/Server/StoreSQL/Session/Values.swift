internal import Foundation

/// The parameters of a statement, in order.
typealias Values = [any SQLValue]

/// A value with its type, also if it is null: some engines must know the type of every parameter.
protocol SQLValue: Sendable {
    static var type: SQLType { get }
    var binding: SQLBinding { get }
}

/// The types of columns and parameters. Booleans are integers, 0 and 1.
enum SQLType: Hashable, Sendable {
    case text, integer, bytes, real
}

/// A value in the form for engines.
enum SQLBinding: Hashable, Sendable {
    case null
    case text(String)
    case integer(Int64)
    case bytes(Data)
    case real(Double)
}

extension String: SQLValue {
    static var type: SQLType { .text }
    var binding: SQLBinding { .text(self) }
}

extension Int64: SQLValue {
    static var type: SQLType { .integer }
    var binding: SQLBinding { .integer(self) }
}

extension Int: SQLValue {
    static var type: SQLType { .integer }
    var binding: SQLBinding { .integer(Int64(self)) }
}

extension Bool: SQLValue {
    static var type: SQLType { .integer }
    var binding: SQLBinding { .integer(self ? 1 : 0) }
}

extension Data: SQLValue {
    static var type: SQLType { .bytes }
    var binding: SQLBinding { .bytes(self) }
}

extension Double: SQLValue {
    static var type: SQLType { .real }
    var binding: SQLBinding { .real(self) }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    static var type: SQLType { Wrapped.type }
    var binding: SQLBinding { self?.binding ?? .null }
}
