/// A value of a MaxMind DB file; kinds that are not needed are left out.
enum MMDBValue: Hashable, Sendable {
    case map([String: MMDBValue])
    case text(String)
    case number(Double)
    case integer(Int)
    case other

    subscript(_ key: String) -> MMDBValue? {
        if case .map(let values) = self { values[key] } else { nil }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var integer: Int? {
        if case .integer(let number) = self { number } else { nil }
    }

    var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}

/// Decodes the data section of a MaxMind DB file, or its metadata.
struct MMDBDecoder {
    private let file: MMDBFile
    private let start: Int
    private let end: Int
    /// Values that may still be read.
    private var budget = Limits.countryValuesMax
    /// After the value that was read last.
    private var position = 0

    /// - Parameters:
    ///   - start: of the section, by which pointers count.
    ///   - end: no value reaches beyond it.
    init(_ file: MMDBFile, start: Int, end: Int) {
        self.file = file
        self.start = start
        self.end = end
    }

    private enum Kind: Int {
        case extended = 0, pointer, text, double, bytes, uint16, uint32, map
        case int32, uint64, uint128, array, container, endMarker, boolean, float
    }

    /// The value at an offset of the file.
    ///
    /// - Returns: `nil` if it is damaged, or larger than a record may be.
    mutating func value(at offset: Int) -> MMDBValue? {
        guard offset >= start else { return nil }
        position = offset
        return value(depth: 0, mayPoint: true)
    }

    private mutating func value(depth: Int, mayPoint: Bool) -> MMDBValue? {
        guard budget > 0, depth <= Limits.countryDepthMax, let (kind, size) = head() else { return nil }
        budget -= 1
        switch kind {
        case .pointer:
            // A pointer never leads to a pointer, so no chain of them has to be followed.
            guard mayPoint, let target = pointer(size) else { return nil }
            let next = position
            position = target
            guard let value = value(depth: depth + 1, mayPoint: false) else { return nil }
            position = next
            return value
        case .text:
            guard size <= Limits.countryTextBytesMax, let bytes = take(size) else { return nil }
            return String(validating: bytes, as: UTF8.self).map(MMDBValue.text)
        case .double:
            guard size == 8, let bits = unsigned(8) else { return nil }
            return .number(Double(bitPattern: bits))
        case .float:
            guard size == 4, let bits = unsigned(4) else { return nil }
            return .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case .uint16, .uint32, .uint64:
            guard size <= 8, let number = unsigned(size) else { return nil }
            return Int(exactly: number).map(MMDBValue.integer) ?? .other
        case .map: return map(size, depth)
        case .array:
            for _ in 0..<size where value(depth: depth + 1, mayPoint: true) == nil { return nil }
            return .other
        case .boolean: return size <= 1 ? .other : nil
        case .bytes, .int32, .uint128: return take(size) == nil ? nil : .other
        case .extended, .container, .endMarker: return nil
        }
    }

    private mutating func map(_ size: Int, _ depth: Int) -> MMDBValue? {
        var values: [String: MMDBValue] = [:]
        for _ in 0..<size {
            guard case .text(let key)? = value(depth: depth + 1, mayPoint: true),
                let value = value(depth: depth + 1, mayPoint: true)
            else { return nil }
            values[key] = value
        }
        return .map(values)
    }

    /// The kind and size of the next value; for a pointer, the five lower bits instead of the size.
    private mutating func head() -> (Kind, Int)? {
        guard let control = take(1)?[0], var kind = Kind(rawValue: Int(control >> 5)) else { return nil }
        if kind == .extended {
            guard let more = take(1)?[0], let extended = Kind(rawValue: Int(more) + 7), more > 0 else { return nil }
            kind = extended
        }
        let size = Int(control & 0x1F)
        guard kind != .pointer, size >= 29 else { return (kind, size) }
        let base = [29, 285, 65_821][size - 29]
        guard let more = unsigned(size - 28) else { return nil }
        return (kind, base + Int(more))
    }

    private mutating func pointer(_ bits: Int) -> Int? {
        let length = bits >> 3
        guard let more = unsigned(length + 1) else { return nil }
        let high = length == 3 ? 0 : Int(bits & 7) << (8 * (length + 1))
        return start + high + Int(more) + [0, 2_048, 526_336, 0][length]
    }

    /// A big-endian number.
    ///
    /// - Parameter count: at most 8.
    private mutating func unsigned(_ count: Int) -> UInt64? {
        take(count)?.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard position >= start, count <= end - position, let bytes = file.bytes(at: position, count: count) else {
            return nil
        }
        position += count
        return bytes
    }
}
