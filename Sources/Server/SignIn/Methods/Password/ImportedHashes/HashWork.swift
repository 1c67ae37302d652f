internal import Model

/// What the computation of a password hash costs, as a number that can be compared and filled up.
struct HashWork: Hashable, Sendable {
    /// Computations whose cost is counted in the same unit.
    enum Family: Hashable, Sendable {
        /// Memory times passes, in KiB. Lanes are computed at the same time.
        case argon2(lanes: Int)
        /// Rounds: two to the power of the cost.
        case bcrypt
        /// Iterations, once for each block of the result.
        case pbkdf2SHA1, pbkdf2SHA256, pbkdf2SHA512
        /// Rounds.
        case phpass
        /// Blocks times their size times lanes, also of Firebase's.
        case scrypt
        /// Rounds.
        case sha256Crypt, sha512Crypt
        /// Blocks times their size.
        case yescrypt
    }

    let family: Family
    let units: Int
}

extension HashWork.Family {
    /// Hashes that no password has, whose check costs `units` together: each power of two once, where a kind of hash
    /// takes only those. What is cheaper than the cheapest hash of the kind is left out.
    func fillers(_ units: Int) -> [any CheckableHash] {
        switch self {
        case .argon2(let lanes): argon2(units, lanes)
        case .bcrypt:
            Self.powers(units, from: 4).compactMap { cost in
                try? BcryptHash("$2b$\(cost < 10 ? "0" : "")\(cost)$\(Self.dots(53))")
            }
        case .pbkdf2SHA1: pbkdf2(units, "sha1", bytes: 20)
        case .pbkdf2SHA256: pbkdf2(units, "sha256", bytes: 32)
        case .pbkdf2SHA512: pbkdf2(units, "sha512", bytes: 64)
        case .phpass:
            Self.powers(units, from: 0).compactMap { logarithm in
                try? PHPassHash("$P$\(Self.digit(logarithm))\(Self.dots(30))")
            }
        case .scrypt:
            // Blocks of the usual size.
            Self.powers(units, from: 4).compactMap { logarithm in
                try? ScryptHash(phc: "$scrypt$ln=\(logarithm - 3),r=8,p=1$\(Self.zeros(16))$\(Self.zeros(32))")
            }
        case .sha256Crypt: shaCrypt(units, 5, length: 43)
        case .sha512Crypt: shaCrypt(units, 6, length: 86)
        case .yescrypt:
            // yescrypt asks for more blocks than scrypt does.
            Self.powers(units, from: 13).compactMap { logarithm in
                try? UnixHash(
                    yescrypt: "$y$j\(Self.digit(logarithm - 4))\(Self.digit(7))$\(Self.dots(22))$\(Self.dots(43))")
            }
        }
    }

    private func argon2(_ units: Int, _ lanes: Int) -> [any CheckableHash] {
        guard units >= 8 * lanes else { return [] }
        let passes = (units - 1) / Int(Argon2Parameters.standard.memoryKiB) + 1
        let most = Int(Argon2Parameters.most.passes)
        let memory = units / min(passes, most)
        let text = "$argon2id$v=19$m=\(memory),t=\(min(passes, most)),p=\(lanes)$\(Self.zeros(16))$\(Self.zeros(32))"
        return [try? Argon2Hash(text)].compactMap(\.self)
    }

    private func pbkdf2(_ units: Int, _ function: String, bytes: Int) -> [any CheckableHash] {
        [try? PBKDF2Hash("$pbkdf2-\(function)$\(units)$\(Self.zeros(16))$\(Self.zeros(bytes))")].compactMap(\.self)
    }

    private func shaCrypt(_ units: Int, _ kind: Int, length: Int) -> [any CheckableHash] {
        // Fewer rounds would be raised to a thousand.
        guard units >= 500 else { return [] }
        let text = "$\(kind)$rounds=\(max(1_000, units))$\(Self.dots(16))$\(Self.dots(length))"
        return [try? UnixHash(sha: text)].compactMap(\.self)
    }

    /// The logarithms of the powers of two that `units` is the sum of.
    private static func powers(_ units: Int, from least: Int) -> [Int] {
        (least..<Int.bitWidth - 1).filter { units & (1 << $0) != 0 }
    }

    private static func dots(_ count: Int) -> String { String(repeating: ".", count: count) }

    private static func digit(_ value: Int) -> Character { Character(Unicode.Scalar(HashText.unixAlphabet[value])) }

    /// Base64 of zeros.
    private static func zeros(_ bytes: Int) -> String { String(repeating: "A", count: (bytes * 8 + 5) / 6) }
}
