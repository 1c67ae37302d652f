/// What makes an RSA key unfit, beside its length.
enum RSAStrength {
    /// Fewest bits of a modulus (RFC 7518 §3.3).
    static let bitsMin = 2_048
    /// Most bits: beyond it, checking one signature takes too long.
    static let bitsMax = 8_192

    /// Why the key is refused; `nil` if it is fit.
    static func flaw(modulus: [UInt8], exponent: [UInt8]) -> String? {
        guard let first = modulus.first, let last = modulus.last else { return "the modulus is empty" }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        if bits < bitsMin { return "the modulus has fewer than \(bitsMin) bits" }
        if bits > bitsMax { return "the modulus has more than \(bitsMax) bits" }
        if last & 1 == 0 { return "the modulus is even" }
        guard exponent.count <= 8 else { return "the exponent is too large" }
        let value = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if value < 3 || value & 1 == 0 { return "the exponent must be odd and at least 3" }
        if isROCA(modulus) { return "the key was made by a faulty chip (ROCA, CVE-2017-15361)" }
        return nil
    }

    /// Whether the modulus has the fingerprint of the primes that a faulty generator made: for each small prime, its
    /// remainder lies in the subgroup that 65537 generates. An honest modulus does so with negligible probability.
    private static func isROCA(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let remainder = modulus.reduce(0) { ($0 << 8 | Int($1)) % prime }
            return subgroup(of: prime).contains(remainder)
        }
    }

    private static let primes = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    private static func subgroup(of prime: Int) -> Set<Int> {
        var members: Set<Int> = []
        var power = 1
        while members.insert(power).inserted { power = power * 65_537 % prime }
        return members
    }
}
