extension CBORValue {
    /// The one spelling of this value (CTAP 2.2 §8).
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }

    private func write(into bytes: inout [UInt8]) {
        switch self {
        case .unsigned(let value): Self.head(0, value, into: &bytes)
        case .negative(let value): Self.head(1, value, into: &bytes)
        case .bytes(let value):
            Self.head(2, UInt64(value.count), into: &bytes)
            bytes.append(contentsOf: value)
        case .text(let value):
            let utf8 = Array(value.utf8)
            Self.head(3, UInt64(utf8.count), into: &bytes)
            bytes.append(contentsOf: utf8)
        case .array(let elements):
            Self.head(4, UInt64(elements.count), into: &bytes)
            for element in elements { element.write(into: &bytes) }
        case .map(let map):
            Self.head(5, UInt64(map.entries.count), into: &bytes)
            for entry in map.entries {
                entry.key.write(into: &bytes)
                entry.value.write(into: &bytes)
            }
        case .bool(let value): bytes.append(value ? 0xF5 : 0xF4)
        case .null: bytes.append(0xF6)
        }
    }

    private static func head(_ majorType: UInt8, _ argument: UInt64, into bytes: inout [UInt8]) {
        let type = majorType << 5
        let byteCount: Int
        switch argument {
        case 0..<24:
            bytes.append(type | UInt8(argument))
            return
        case 24..<0x100:
            bytes.append(type | 24)
            byteCount = 1
        case 0x100..<0x1_0000:
            bytes.append(type | 25)
            byteCount = 2
        case 0x1_0000..<0x1_0000_0000:
            bytes.append(type | 26)
            byteCount = 4
        default:
            bytes.append(type | 27)
            byteCount = 8
        }
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: argument >> UInt64(index * 8)))
        }
    }
}
