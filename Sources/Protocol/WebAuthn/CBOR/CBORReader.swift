/// Why bytes are not the CBOR that was asked for.
public struct CBORProblem: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// One of ``CBORValue/Limits`` was exceeded.
        case tooLarge, tooDeep, tooManyItems
        /// The bytes end inside an item.
        case truncated
        /// There are bytes after the item.
        case trailingBytes
        /// A number or a length that could be written shorter.
        case notShortest
        /// A length that is not said in advance; the canonical form has none.
        case indefiniteLength
        /// Keys that are not in canonical order, one that comes twice among them.
        case keyOrder
        /// A key that is neither an integer nor a text.
        case keyType
        /// A text that is not UTF-8.
        case invalidText
        /// A tag, a floating-point number, or another value that no message here has.
        case unsupported
    }

    /// The first rule that was broken.
    public let rule: Rule
    /// Where, counted in bytes from the start.
    public let offset: Int
}

extension CBORValue {
    /// The bounds within which bytes are read at all.
    public struct Limits: Sendable {
        /// Most bytes in all.
        public var bytesMax: Int
        /// Deepest nesting; the outermost item is at depth 1.
        public var depthMax: Int
        /// Most items, keys and containers included.
        public var itemsMax: Int

        /// Bounds; by default those of an attestation object.
        public init(
            bytesMax: Int = WebAuthnLimits.attestationObjectBytes, depthMax: Int = WebAuthnLimits.cborDepth,
            itemsMax: Int = WebAuthnLimits.cborItems
        ) {
            self.bytesMax = bytesMax
            self.depthMax = depthMax
            self.itemsMax = itemsMax
        }
    }

    /// Reads exactly one item in canonical form (CTAP 2.2 §8), with nothing after it.
    public init(decoding bytes: some Collection<UInt8>, limits: Limits = Limits()) throws(CBORProblem) {
        let bytes = Array(bytes)
        var reader = CBORReader(bytes, limits: limits)
        self = try reader.readDocument()
        guard reader.position == bytes.count else { throw CBORProblem(rule: .trailingBytes, offset: reader.position) }
    }

    /// Reads one item from the beginning of `bytes`, and says how many bytes it took.
    public static func decodeFirst(
        of bytes: some Collection<UInt8>, limits: Limits = Limits()
    ) throws(CBORProblem) -> (value: CBORValue, byteCount: Int) {
        var reader = CBORReader(Array(bytes), limits: limits)
        return (try reader.readDocument(), reader.position)
    }
}

/// A recursive-descent reader; see ``CBORValue/init(decoding:limits:)``. Never reserves what was only announced.
struct CBORReader {
    private let bytes: [UInt8]
    private let limits: CBORValue.Limits
    private(set) var position = 0
    private var items = 0

    init(_ bytes: [UInt8], limits: CBORValue.Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func readDocument() throws(CBORProblem) -> CBORValue {
        guard bytes.count <= limits.bytesMax else { throw problem(.tooLarge) }
        return try readItem(depth: 1)
    }

    private mutating func readItem(depth: Int) throws(CBORProblem) -> CBORValue {
        guard depth <= limits.depthMax else { throw problem(.tooDeep) }
        items += 1
        guard items <= limits.itemsMax else { throw problem(.tooManyItems) }
        let start = position
        let initial = try readByte()
        if initial >> 5 == 7 { return try simple(initial & 0x1F, at: start) }
        let argument = try readArgument(initial & 0x1F, at: start)
        switch initial >> 5 {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(Array(try readBytes(argument)))
        case 3:
            guard let text = String(validating: try readBytes(argument), as: UTF8.self) else {
                throw CBORProblem(rule: .invalidText, offset: start)
            }
            return .text(text)
        case 4: return .array(try readArray(argument, depth: depth))
        case 5: return .map(try readMap(argument, depth: depth))
        default: throw CBORProblem(rule: .unsupported, offset: start)
        }
    }

    private mutating func readArray(_ count: UInt64, depth: Int) throws(CBORProblem) -> [CBORValue] {
        // An item has a byte at least: what cannot be there is refused before anything is read.
        guard count <= UInt64(bytes.count - position) else { throw problem(.truncated) }
        var elements: [CBORValue] = []
        for _ in 0..<count { elements.append(try readItem(depth: depth + 1)) }
        return elements
    }

    private mutating func readMap(_ count: UInt64, depth: Int) throws(CBORProblem) -> CBORMap {
        guard count <= UInt64((bytes.count - position) / 2) else { throw problem(.truncated) }
        var entries: [CBORMap.Entry] = []
        var previous: CBOROrder?
        for _ in 0..<count {
            let start = position
            let key = try readItem(depth: depth + 1)
            switch key {
            case .unsigned, .negative, .text: break
            default: throw CBORProblem(rule: .keyType, offset: start)
            }
            let order = CBOROrder(bytes[start..<position])
            if let previous, !(previous < order) { throw CBORProblem(rule: .keyOrder, offset: start) }
            previous = order
            entries.append(CBORMap.Entry(key: key, value: try readItem(depth: depth + 1)))
        }
        return CBORMap(canonical: entries)
    }

    private func simple(_ information: UInt8, at start: Int) throws(CBORProblem) -> CBORValue {
        switch information {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        case 31: throw CBORProblem(rule: .indefiniteLength, offset: start)
        default: throw CBORProblem(rule: .unsupported, offset: start)
        }
    }

    private mutating func readArgument(_ information: UInt8, at start: Int) throws(CBORProblem) -> UInt64 {
        let byteCount: Int
        switch information {
        case 0..<24: return UInt64(information)
        case 24: byteCount = 1
        case 25: byteCount = 2
        case 26: byteCount = 4
        case 27: byteCount = 8
        case 31: throw CBORProblem(rule: .indefiniteLength, offset: start)
        default: throw CBORProblem(rule: .unsupported, offset: start)
        }
        let value = try readBytes(UInt64(byteCount)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = byteCount == 1 ? 24 : 1 << (UInt64(byteCount) * 4)
        guard value >= least else { throw CBORProblem(rule: .notShortest, offset: start) }
        return value
    }

    private mutating func readByte() throws(CBORProblem) -> UInt8 {
        guard position < bytes.count else { throw problem(.truncated) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func readBytes(_ count: UInt64) throws(CBORProblem) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw problem(.truncated) }
        let start = position
        position += Int(count)
        return bytes[start..<position]
    }

    private func problem(_ rule: CBORProblem.Rule) -> CBORProblem {
        CBORProblem(rule: rule, offset: position)
    }
}
