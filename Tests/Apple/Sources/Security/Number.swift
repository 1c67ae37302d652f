/// 256 bits, least significant word first.
public struct Number: Equatable, Comparable, Sendable {
    var words: [UInt64]

    init(words: [UInt64]) { self.words = words }

    init(_ small: UInt64) { words = [small, 0, 0, 0] }

    /// - Parameter bytes: 32, most significant first.
    init(bytes: [UInt8]) {
        words = (0..<4).reversed().map { word in
            bytes[(word * 8)..<(word * 8 + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
    }

    init(_ hexadecimal: String) {
        let digits = Array(hexadecimal)
        self.init(bytes: (0..<32).map { UInt8(String(digits[($0 * 2)..<($0 * 2 + 2)]), radix: 16) ?? 0 })
    }

    var bytes: [UInt8] {
        words.reversed().flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
    }

    var isZero: Bool { words == [0, 0, 0, 0] }

    func bit(_ index: Int) -> Bool { words[index / 64] >> UInt64(index % 64) & 1 == 1 }

    public static func < (left: Number, right: Number) -> Bool {
        for index in (0..<4).reversed() where left.words[index] != right.words[index] {
            return left.words[index] < right.words[index]
        }
        return false
    }

    func adding(_ other: Number) -> (Number, carry: Bool) {
        var result = words
        var carry = false
        for index in 0..<4 {
            let (first, overflow) = words[index].addingReportingOverflow(other.words[index])
            let (second, more) = first.addingReportingOverflow(carry ? 1 : 0)
            result[index] = second
            carry = overflow || more
        }
        return (Number(words: result), carry)
    }

    func subtracting(_ other: Number) -> (Number, borrow: Bool) {
        var result = words
        var borrow = false
        for index in 0..<4 {
            let (first, overflow) = words[index].subtractingReportingOverflow(other.words[index])
            let (second, more) = first.subtractingReportingOverflow(borrow ? 1 : 0)
            result[index] = second
            borrow = overflow || more
        }
        return (Number(words: result), borrow)
    }
}

/// Arithmetic modulo an odd number of 256 bits whose highest is set.
struct Field: Sendable {
    let modulus: Number
    /// 2^512, to come back from Montgomery's form.
    private let square: Number
    /// -1/modulus, modulo 2^64.
    private let factor: UInt64

    init(_ hexadecimal: String) {
        let modulus = Number(hexadecimal)
        self.modulus = modulus
        var inverse: UInt64 = 1
        for _ in 0..<6 { inverse = inverse &* (2 &- modulus.words[0] &* inverse) }
        factor = 0 &- inverse
        var power = Number(1)
        for _ in 0..<512 { power = Self.add(power, power, modulus) }
        square = power
    }

    func reduce(_ number: Number) -> Number { number < modulus ? number : number.subtracting(modulus).0 }
    func add(_ left: Number, _ right: Number) -> Number { Self.add(left, right, modulus) }

    func subtract(_ left: Number, _ right: Number) -> Number {
        let (difference, borrow) = left.subtracting(right)
        return borrow ? difference.adding(modulus).0 : difference
    }

    func times(_ small: Int, _ number: Number) -> Number {
        (1..<small).reduce(number) { sum, _ in add(sum, number) }
    }

    func multiply(_ left: Number, _ right: Number) -> Number { montgomery(montgomery(left, right), square) }

    /// By Fermat's little theorem.
    func inverse(_ number: Number) -> Number {
        let exponent = modulus.subtracting(Number(2)).0
        var power = Number(1)
        for bit in (0..<256).reversed() {
            power = multiply(power, power)
            if exponent.bit(bit) { power = multiply(power, number) }
        }
        return power
    }

    private static func add(_ left: Number, _ right: Number, _ modulus: Number) -> Number {
        let (sum, carry) = left.adding(right)
        return carry || sum >= modulus ? sum.subtracting(modulus).0 : sum
    }

    /// left·right/2^256.
    private func montgomery(_ left: Number, _ right: Number) -> Number {
        var sum = [UInt64](repeating: 0, count: 6)
        for index in 0..<4 {
            accumulate(&sum, left.words, right.words[index])
            accumulate(&sum, modulus.words, sum[0] &* factor)
            sum.removeFirst()
            sum.append(0)
        }
        let result = Number(words: Array(sum[..<4]))
        return sum[4] != 0 || result >= modulus ? result.subtracting(modulus).0 : result
    }

    private func accumulate(_ sum: inout [UInt64], _ words: [UInt64], _ factor: UInt64) {
        var carry: UInt64 = 0
        for index in 0..<4 {
            let (high, low) = words[index].multipliedFullWidth(by: factor)
            let (first, overflow) = sum[index].addingReportingOverflow(low)
            let (second, more) = first.addingReportingOverflow(carry)
            sum[index] = second
            carry = high &+ (overflow ? 1 : 0) &+ (more ? 1 : 0)
        }
        let (fourth, overflow) = sum[4].addingReportingOverflow(carry)
        sum[4] = fourth
        sum[5] &+= overflow ? 1 : 0
    }
}
