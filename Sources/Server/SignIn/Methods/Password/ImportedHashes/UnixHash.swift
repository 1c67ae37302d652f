internal import Model

/// The formats of Unix that can be imported: SHA-256-crypt, SHA-512-crypt and yescrypt.
struct UnixHash: CheckableHash {
    private let encoded: String
    private let hashLength: Int
    let work: HashWork?

    /// `$5$[rounds=…$]salt$hash` and `$6$…`.
    init(sha encoded: String) throws(PasswordHashRefusal) {
        var parts = encoded.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
        let length = parts.popFirst() == "5" ? 43 : 86
        var rounds = 5_000
        if let first = parts.first, first.hasPrefix("rounds=") {
            guard let number = HashText.number(first.dropFirst(7)) else {
                throw PasswordHashRefusal(.shaCrypt, .malformed, "no number of rounds")
            }
            rounds = number
            parts.removeFirst()
        }
        guard parts.count == 2, let salt = parts.popFirst(), salt.count <= 16, HashText.isUnixText(salt),
            let hash = parts.popFirst(), hash.count == length, HashText.isUnixText(hash), rounds >= 1_000
        else { throw PasswordHashRefusal(.shaCrypt, .malformed, "not rounds, salt and hash") }
        guard rounds <= Limits.shaCryptRoundsMax else {
            throw PasswordHashRefusal(
                .shaCrypt, .tooExpensive, "\(rounds) rounds are beyond \(Limits.shaCryptRoundsMax)")
        }
        let family = length == 43 ? HashWork.Family.sha256Crypt : .sha512Crypt
        try self.init(encoded, .shaCrypt, hashLength: length, HashWork(family: family, units: rounds))
    }

    /// `$y$j9T$salt$hash`: flavour, memory and block size, one character each, as the C library writes it.
    init(yescrypt encoded: String) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false).dropFirst(2)
        guard parts.count == 3, let parameters = parts.first.map(Array.init), parameters.count == 3,
            parameters[0] == "j", let memory = HashText.unixDigit(parameters[1]),
            let block = HashText.unixDigit(parameters[2]), let salt = parts.dropFirst().first, salt.count <= 86,
            let hash = parts.last, hash.count == 43, HashText.isUnixText(salt), HashText.isUnixText(hash)
        else { throw PasswordHashRefusal(.yescrypt, .malformed, "not three parameters, salt and hash") }
        let cost = ScryptCost(logarithm: memory + 1, blockSize: block + 1, parallelism: 1)
        try cost.check(.yescrypt)
        try self.init(encoded, .yescrypt, hashLength: 43, cost.work(.yescrypt))
    }

    private init(
        _ encoded: String, _ scheme: StoredPasswordHash.Scheme, hashLength: Int, _ work: HashWork
    ) throws(PasswordHashRefusal) {
        guard UnixCrypt.isAvailable else {
            throw PasswordHashRefusal(scheme, .unavailable, "this system's C library does not know it")
        }
        self.encoded = encoded
        self.hashLength = hashLength
        self.work = work
    }

    func matches(_ password: [UInt8]) -> Bool {
        UnixCrypt.matches(password, encoded, last: hashLength)
    }
}
