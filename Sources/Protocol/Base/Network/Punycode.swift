/// Punycode (RFC 3492): labels of domain names beyond ASCII, in ASCII.
enum Punycode {
    private static let (base, tMin, tMax) = (36, 1, 26)
    private static let (skew, damp, firstBias, firstCode) = (38, 700, 72, 128)
    /// Longest label that is read or written, in code points: as long as a label of a domain may be.
    private static let lengthMax = 63

    /// The label without the prefix `xn--`; `nil` if it is too long.
    static func encode(_ label: String) -> String? {
        let input = label.unicodeScalars.map { Int($0.value) }
        guard (1...lengthMax).contains(input.count) else { return nil }
        var output = label.unicodeScalars.filter(\.isASCII).map { UInt8($0.value) }
        let basic = output.count
        var (code, delta, bias, done) = (firstCode, 0, firstBias, basic)
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        while done < input.count {
            guard let next = input.filter({ $0 >= code }).min() else { return nil }
            // Sixty-three code points cannot overflow an Int.
            delta += (next - code) * (done + 1)
            code = next
            for value in input {
                if value < code { delta += 1 }
                guard value == code else { continue }
                var (rest, position) = (delta, base)
                while true {
                    let threshold = min(max(position - bias, tMin), tMax)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    position += base
                }
                output.append(digit(rest))
                bias = adapt(delta, count: done + 1, isFirst: done == basic)
                delta = 0
                done += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The label of a text without the prefix `xn--`; `nil` if it is none.
    static func decode(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= lengthMax, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let delimiter = bytes.lastIndex(of: UInt8(ascii: "-"))
        var output = (delimiter.map { bytes[..<$0] } ?? []).map { Unicode.Scalar($0) }
        var rest = bytes[(delimiter.map { $0 + 1 } ?? 0)...]
        var (code, index, bias) = (firstCode, 0, firstBias)
        while !rest.isEmpty {
            let before = index
            var (weight, position) = (1, base)
            while true {
                guard let digit = rest.popFirst().flatMap(value) else { return nil }
                guard digit <= (Int(Int32.max) - index) / weight else { return nil }
                index += digit * weight
                let threshold = min(max(position - bias, tMin), tMax)
                if digit < threshold { break }
                guard weight <= Int(Int32.max) / (base - threshold) else { return nil }
                weight *= base - threshold
                position += base
            }
            bias = adapt(index - before, count: output.count + 1, isFirst: before == 0)
            code += index / (output.count + 1)
            index %= output.count + 1
            guard let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init), output.count < lengthMax else {
                return nil
            }
            output.insert(scalar, at: index)
            index += 1
        }
        var label = String.UnicodeScalarView()
        label.append(contentsOf: output)
        return String(label)
    }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            steps += base
        }
        return steps + (base - tMin + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30)
    }

    private static func value(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30 + 26
        case 0x41...0x5A: Int(byte) - 0x41
        case 0x61...0x7A: Int(byte) - 0x61
        default: nil
        }
    }
}
