/// Password hashes that other products made. Each bound lets one check take about a second at most.
extension Limits {
    /// A stored hash as text; the longest that is accepted has some 300 characters.
    public static let storedHashBytesMax = 1_024
    /// bcrypt's logarithm of rounds; products use 10 to 12, a few 13 or 14.
    public static let bcryptCostMax = 14
    /// Memory of scrypt and yescrypt, which bounds their time as well: N = 2^17 with r = 8, and as much again.
    public static let scryptBytesMax = 268_435_456
    /// Iterations of PBKDF2, counted for each block of the result; Django uses a million.
    public static let pbkdf2IterationsMax = 4_000_000
    /// Logarithm of phpass's rounds; passlib uses 19, WordPress 13.
    public static let phpassLogarithmMax = 19
    /// Rounds of SHA-256-crypt and SHA-512-crypt; passlib uses 656 000, Unix 5 000.
    public static let shaCryptRoundsMax = 1_000_000
    /// How often a server looks which kinds of hashes from elsewhere are stored, in seconds: so long after an import, the
    /// time of a wrong password could tell who was imported.
    public static let hashCostSeconds = 10
    /// Settings of such hashes that it reads then, a query each; a product has one for each year in which it was made dearer.
    public static let hashSettingsMax = 256
}
