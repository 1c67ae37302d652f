internal import Foundation
internal import KeyturnBase

/// A value of a row, as it is stored.
enum CopiedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    /// Of a text these are its bytes: Swift takes different texts for equal ones, and what another program wrote may be
    /// no text at all.
    case bytes(Data)
}

extension CopiedValue: Comparable {
    /// The order in which engines return keys.
    static func < (one: CopiedValue, other: CopiedValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
        case (.null, .integer), (.null, .bytes), (.integer, .bytes): true
        default: false
        }
    }
}

/// A row, with its values in the order of ``RowShape/columns``.
struct CopiedRow: Hashable, Sendable {
    let values: [CopiedValue]
}

/// A column with its type.
struct CopiedColumn: Hashable, Sendable {
    let name: String
    let type: SQLType

    /// The value as a parameter.
    ///
    /// - Throws: ``UnfitText`` for bytes that are no text for both engines.
    func parameter(_ value: CopiedValue) throws(UnfitText) -> any SQLValue {
        switch (value, type) {
        case (.integer(let number), _): return number
        case (.bytes(let bytes), .text): return try text(bytes)
        case (.bytes(let bytes), _): return bytes
        case (.null, .text): return String?.none
        case (.null, .bytes): return Data?.none
        case (.null, _): return Int64?.none
        }
    }

    private func text(_ bytes: Data) throws(UnfitText) -> String {
        guard !bytes.contains(0) else { throw UnfitText(column: name, reason: "its text has the character U+0000") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UnfitText(column: name, reason: "its text is not UTF-8")
        }
        return text
    }
}

/// A text that cannot be copied.
struct UnfitText: Error {
    let column: String
    let reason: String
}
