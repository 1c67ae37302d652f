/// A CBOR item (RFC 8949) in the canonical form of CTAP2: the only one that authenticators send.
///
/// Every value has exactly one spelling, so that nothing can be said in two ways. Tags, floating-point numbers and
/// items of indefinite length do not exist here.
public enum CBORValue: Hashable, Sendable {
    /// An integer from 0 (major type 0).
    case unsigned(UInt64)
    /// The number `-1 - n`.
    case negative(UInt64)
    /// A byte string (major type 2).
    case bytes([UInt8])
    /// A text (major type 3).
    case text(String)
    /// Items in order (major type 4).
    case array([CBORValue])
    /// Entries in canonical order (major type 5).
    case map(CBORMap)
    /// `true` or `false` (major type 7).
    case bool(Bool)
    /// `null` (major type 7).
    case null
}

extension CBORValue {
    /// An integer of either sign.
    public static func integer(_ value: Int64) -> CBORValue {
        value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(-1 - value))
    }

    /// The integer, or `nil` if this is something else or does not fit.
    public var integerValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    /// The byte string, or `nil` if this is something else.
    public var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The text, or `nil` if this is something else.
    public var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The elements, or `nil` if this is not an array.
    public var arrayValue: [CBORValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The map, or `nil` if this is something else.
    public var mapValue: CBORMap? {
        if case .map(let value) = self { value } else { nil }
    }
}

/// A CBOR map, its entries in canonical order.
public struct CBORMap: Hashable, Sendable {
    /// A key and what it stands for.
    public struct Entry: Hashable, Sendable {
        /// An integer or a text.
        public let key: CBORValue
        /// What stands under the key.
        public let value: CBORValue
    }

    /// The entries, in canonical order.
    public let entries: [Entry]

    /// Sorts the entries; a key that comes twice keeps its first value.
    public init(_ pairs: [(CBORValue, CBORValue)]) {
        var seen: Set<CBORValue> = []
        entries = pairs.filter { seen.insert($0.0).inserted }
            .map { (key: CBOROrder($0.0.encoded), entry: Entry(key: $0.0, value: $0.1)) }
            .sorted { $0.key < $1.key }.map(\.entry)
    }

    init(canonical entries: [Entry]) {
        self.entries = entries
    }

    /// The value under a key; `nil` if there is none.
    public subscript(key: CBORValue) -> CBORValue? {
        entries.first { $0.key == key }?.value
    }

    /// The value under a key; `nil` if there is none.
    public subscript(name: String) -> CBORValue? { self[.text(name)] }

    /// The value under a key; `nil` if there is none.
    public subscript(label: Int64) -> CBORValue? { self[.integer(label)] }

    /// The keys, if all of them are texts.
    var names: [String]? {
        let names = entries.compactMap(\.key.textValue)
        return names.count == entries.count ? names : nil
    }
}

/// The order of keys in CTAP2's canonical form: by major type, then by length, then by bytes.
struct CBOROrder: Comparable {
    let encoded: ArraySlice<UInt8>

    init(_ encoded: some Collection<UInt8>) {
        self.encoded = ArraySlice(encoded)
    }

    static func < (left: CBOROrder, right: CBOROrder) -> Bool {
        let (one, two) = ((left.encoded.first ?? 0) >> 5, (right.encoded.first ?? 0) >> 5)
        if one != two { return one < two }
        if left.encoded.count != right.encoded.count { return left.encoded.count < right.encoded.count }
        return left.encoded.lexicographicallyPrecedes(right.encoded)
    }
}
