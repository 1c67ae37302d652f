import KeyturnWebAuthn

/// Everything that can be wrong with one item of a CBOR text, once for each item.
enum CBORMutations {
    static func all(of value: CBORValue) -> [[UInt8]] {
        replaced(value).map(\.encoded) + misspelt(value.encoded)
    }

    /// Each item replaced by one of another type, left out, emptied, or with one more beside it.
    private static func replaced(_ value: CBORValue) -> [CBORValue] {
        var results: [CBORValue] = [.null, .bool(true), .unsigned(1), .text("none"), .bytes([0]), .array([value])]
        switch value {
        case .unsigned(let number): results += [.unsigned(number &+ 1), .negative(number)]
        case .negative(let number): results += [.negative(number &+ 1), .unsigned(number)]
        case .bytes(let bytes): results += [.bytes([]), .bytes(bytes + [0]), .bytes(Array(bytes.dropLast()))]
        case .text(let text): results += [.text(""), .text(text + " "), .text(text.uppercased())]
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                results += replaced(element).map { .array(elements.replacing(index, with: $0)) }
                results.append(.array(Array(elements[..<index] + elements[(index + 1)...])))
            }
            results.append(.array(elements + [.null]))
        case .map(let map):
            let pairs = map.entries.map { ($0.key, $0.value) }
            for (index, pair) in pairs.enumerated() {
                results += replaced(pair.1).map { .map(CBORMap(pairs.replacing(index, with: (pair.0, $0)))) }
                results.append(.map(CBORMap(Array(pairs[..<index] + pairs[(index + 1)...]))))
                results.append(.map(CBORMap(pairs.replacing(index, with: (.text("x"), pair.1)))))
            }
            results.append(.map(CBORMap(pairs + [(.text("extra"), .null)])))
        case .bool, .null: break
        }
        return results.filter { $0 != value }
    }

    /// The same value, spelt otherwise: what CTAP2's canonical form does not allow.
    private static func misspelt(_ bytes: [UInt8]) -> [[UInt8]] {
        var results = [bytes + [0], Array(bytes.dropLast()), [0xC0] + bytes, [0xD9, 0xD9, 0xF7] + bytes, []]
        let type = bytes[0] & 0xE0
        let count = bytes[0] & 0x1F
        for head: [UInt8] in [
            [type | 24, count], [type | 25, 0, count], [type | 26, 0, 0, 0, count],
            [type | 27, 0, 0, 0, 0, 0, 0, 0, count], [type | 28], [type | 31],
        ] {
            results.append(head + bytes.dropFirst())
        }
        results.append([type | 31] + bytes.dropFirst() + [0xFF])
        return results
    }
}

extension Array {
    fileprivate func replacing(_ index: Int, with element: Element) -> [Element] {
        var copy = self
        copy[index] = element
        return copy
    }
}
