internal import CPostgreSQL
internal import Foundation
internal import KeyturnBase

/// The parameters of a statement in the binary format.
struct BoundParameters {
    let types: [Oid]
    private var bytes: [UInt8] = []
    /// Where each begins in `bytes`, and how long it is; `nil` is a null.
    private var places: [(start: Int, count: Int)?] = []

    init(_ values: Values, for sql: String) throws(PostgreSQLProblem) {
        types = values.map { PostgreSQLType.number(type(of: $0).type) }
        places.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            let isNull = try !Self.append(value.binding, to: &bytes, sql)
            places.append(isNull ? nil : (start, bytes.count - start))
        }
    }

    /// Arrays of one dimension, each with values of one type.
    init(arrays: [Values], for sql: String) throws(PostgreSQLProblem) {
        let elements = arrays.map { array in array.first.map { type(of: $0).type } ?? .text }
        types = elements.map(PostgreSQLType.array(of:))
        for (array, element) in zip(arrays, elements) {
            let start = bytes.count
            // Dimensions, whether there may be nulls, the type, how many, the number of the first.
            for number in [1, 1, Int(PostgreSQLType.number(element)), array.count, 1] {
                Self.append(UInt32(number), to: &bytes)
            }
            for value in array { try appendElement(value.binding, sql) }
            places.append((start, bytes.count - start))
        }
    }

    /// An element is its length, or -1 for a null, and its bytes.
    private mutating func appendElement(_ value: SQLBinding, _ sql: String) throws(PostgreSQLProblem) {
        let place = bytes.count
        Self.append(UInt32.max, to: &bytes)
        guard try Self.append(value, to: &bytes, sql) else { return }
        var length: [UInt8] = []
        Self.append(UInt32(bytes.count - place - 4), to: &length)
        bytes.replaceSubrange(place..<place + 4, with: length)
    }

    /// - Returns: `false` for a null, which has no bytes.
    private static func append(_ value: SQLBinding, to bytes: inout [UInt8], _ sql: String) throws(PostgreSQLProblem)
        -> Bool
    {
        switch value {
        case .null: return false
        case .text(let text): bytes += try storable(text, sql).utf8
        case .integer(let number): append(UInt64(bitPattern: number), to: &bytes)
        case .bytes(let data): bytes += data
        case .real(let number): append(number.bitPattern, to: &bytes)
        }
        return true
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for shift in stride(from: 24, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// PostgreSQL has no text with a zero byte. In a condition such a text equals nothing, so another one stands for it
    /// that equals nothing either; it is never written.
    private static func storable(_ text: String, _ sql: String) throws(PostgreSQLProblem) -> String {
        guard text.utf8.contains(0) else { return text }
        guard !sql.hasPrefix("INSERT"), !sql.hasPrefix("UPDATE") else {
            throw PostgreSQLProblem(.conflict, "a text has a zero byte")
        }
        return nothing
    }

    private static let nothing = "no text \(Ambient.live.randomToken())"

    /// Calls `send` with libpq's arrays.
    @unsafe func withArrays<Result>(
        _ send: (
            _ count: Int32, _ types: UnsafePointer<Oid>?, _ values: UnsafePointer<UnsafePointer<CChar>?>?,
            _ lengths: UnsafePointer<Int32>?, _ formats: UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let lengths = places.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: places.count)
        // libpq takes a null pointer for a null, so an empty value needs an address as well.
        return unsafe (bytes + [0]).withUnsafeBytes { buffer in
            var values = unsafe [UnsafePointer<CChar>?]()
            for place in places {
                let start = unsafe buffer.baseAddress?.advanced(by: place?.start ?? 0)
                unsafe values.append(place == nil ? nil : start?.assumingMemoryBound(to: CChar.self))
            }
            return unsafe send(Int32(places.count), types, values, lengths, formats)
        }
    }
}
