public import KeyturnBase
internal import Model

/// A stored password hash, ours or another product's, that can be checked at a bounded cost.
///
/// A hash of another product is checked as that product did, and replaced by ours at the first success; see
/// ``Passwords/check(_:against:)``. An import reads every hash with ``init(_:)``, and so refuses each one that could
/// never be checked here.
public struct StoredPasswordHash: Sendable {
    /// How a hash was made.
    public enum Scheme: String, CaseIterable, Sendable {
        /// Argon2id, Argon2i and Argon2d (RFC 9106), as `$argon2id$…` or Django's `argon2$argon2id$…`.
        case argon2
        /// `$2a$`, `$2b$`, `$2y$`, Django's `bcrypt$…` and `bcrypt_sha256$…`.
        case bcrypt
        /// RFC 7914, as `$scrypt$…` or Django's `scrypt$…`.
        case scrypt
        /// Firebase's scrypt: ``StoredPasswordHash/firebase(hash:salt:separator:signerKey:rounds:memoryCost:)``.
        case firebaseScrypt = "firebase-scrypt"
        /// RFC 8018 §5.2 with SHA-1, SHA-256 or SHA-512, as `$pbkdf2-sha256$…` (PHC or passlib) or Django's.
        case pbkdf2
        /// `$P$` and `$H$`, of WordPress and phpBB.
        case phpass
        /// `{SSHA}`, `{SSHA256}`, `{SSHA512}`, of LDAP servers.
        case saltedSHA = "salted-sha"
        /// `$5$` and `$6$`, of Unix.
        case shaCrypt = "sha-crypt"
        /// `$y$`, of Unix.
        case yescrypt
    }

    public let scheme: Scheme
    /// Exactly as it was read, and as it is stored.
    public let encoded: Secret
    private let hash: any CheckableHash

    /// - Throws: ``PasswordHashRefusal`` if it is unknown or malformed, or asks for more work than ``Limits`` allow.
    public init(_ encoded: String) throws(PasswordHashRefusal) {
        guard encoded.utf8.count <= Limits.storedHashBytesMax, encoded.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw PasswordHashRefusal(nil, .malformed, "not a line of printable ASCII") }
        self.encoded = Secret(encoded)
        (scheme, hash) = try Self.read(encoded)
    }

    /// Whether `password` is the one that this was made of. Slow: for a hashing thread.
    ///
    /// Some products hash a normalised form of the password. The password as entered is tried first, then its composed
    /// forms, if they differ: at most three times the cost, and only where it is not ASCII.
    ///
    /// A password with a NUL in it never matches: C libraries end there, and HMAC uses NULs at the end for its padding.
    func matches(_ password: Secret) -> Bool {
        let bytes = password.exposed().utf8
        guard !bytes.isEmpty, bytes.count <= Limits.passwordBytesMax, !bytes.contains(0) else { return false }
        return PasswordForm.spellings(password).contains { matches($0) }
    }

    /// Whether these bytes are what this was made of.
    func matches(_ spelling: [UInt8]) -> Bool { hash.matches(spelling) }

    /// What one of them costs; `nil`: next to nothing.
    var work: HashWork? { hash.work }

    private static func read(_ encoded: String) throws(PasswordHashRefusal) -> (Scheme, any CheckableHash) {
        if encoded.hasPrefix("{") { return (.saltedSHA, try SaltedSHAHash(encoded)) }
        guard encoded.hasPrefix("$") else { return try readDjango(encoded) }
        let name = encoded.dropFirst().prefix { $0 != "$" }
        switch name {
        case "argon2id", "argon2i", "argon2d": return (.argon2, try Argon2Hash(encoded))
        case "2a", "2b", "2y": return (.bcrypt, try BcryptHash(encoded))
        case "scrypt": return (.scrypt, try ScryptHash(phc: encoded))
        case "firebase-scrypt": return (.firebaseScrypt, try FirebaseHash(encoded))
        case "pbkdf2", "pbkdf2-sha1", "pbkdf2-sha256", "pbkdf2-sha512": return (.pbkdf2, try PBKDF2Hash(encoded))
        case "P", "H": return (.phpass, try PHPassHash(encoded))
        case "5", "6": return (.shaCrypt, try UnixHash(sha: encoded))
        case "y": return (.yescrypt, try UnixHash(yescrypt: encoded))
        default: throw PasswordHashRefusal(nil, .unknown, "no format begins like this")
        }
    }

    /// Django writes the name of its hasher first, and its own formats without a leading `$`.
    private static func readDjango(_ encoded: String) throws(PasswordHashRefusal) -> (Scheme, any CheckableHash) {
        let name = encoded.prefix { $0 != "$" }
        let rest = String(encoded.dropFirst(name.count))
        switch name {
        case "argon2": return (.argon2, try Argon2Hash(rest))
        case "bcrypt": return (.bcrypt, try BcryptHash(String(rest.dropFirst())))
        case "bcrypt_sha256": return (.bcrypt, try BcryptHash(String(rest.dropFirst()), isOfSHA256: true))
        case "pbkdf2_sha1", "pbkdf2_sha256": return (.pbkdf2, try PBKDF2Hash(django: encoded))
        case "scrypt": return (.scrypt, try ScryptHash(django: encoded))
        default: throw PasswordHashRefusal(nil, .unknown, "no format begins like this")
        }
    }
}

/// Why an imported hash is refused. Contains nothing of the hash itself.
public struct PasswordHashRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public enum Reason: Sendable {
        /// The format is not known.
        case unknown
        /// The format is known, but the hash violates it.
        case malformed
        /// A check would take more time or memory than one sign-in may.
        case tooExpensive
        /// This system lacks the library.
        case unavailable
    }

    /// `nil` if the format is not known.
    public let scheme: StoredPasswordHash.Scheme?
    public let reason: Reason
    /// For the operator who runs the import.
    public let detail: String

    init(_ scheme: StoredPasswordHash.Scheme?, _ reason: Reason, _ detail: String) {
        self.scheme = scheme
        self.reason = reason
        self.detail = detail
    }

    public var description: String {
        "\(scheme?.rawValue ?? "password hash"): \(detail)"
    }
}

/// A hash that was read. Its parameters are within their limits.
protocol CheckableHash: Sendable {
    /// - Parameter password: 1 byte or more, none of them NUL.
    func matches(_ password: [UInt8]) -> Bool

    /// What it costs; `nil`: next to nothing.
    var work: HashWork? { get }
}
