public import KeyturnBase

/// Makes and checks password hashes, on the pool, so that a wrong user name costs what a wrong password costs.
public struct Passwords: Sendable {
    private let pool: HashingPool
    private let parameters: Argon2Parameters
    private let ambient: Ambient
    /// Checked when there is nothing to check, so that time tells nobody which accounts exist.
    private let dummyHash: String

    public init(pool: HashingPool, parameters: Argon2Parameters = .standard, ambient: Ambient) {
        self.pool = pool
        self.parameters = parameters
        self.ambient = ambient
        // Nobody knows the password of this hash, and it is never accepted either: see check().
        let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let text = { (count: Int) in String(ambient.randomBytes(count).map { base64[Int($0 & 0x3F)] }) }
        dummyHash =
            "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.passes),p=\(parameters.lanes)"
            + "$\(text(21))A$\(text(42))A"
    }

    /// What a check found.
    public enum Verdict: Hashable, Sendable {
        case wrong
        case right
        /// Right, and the stored hash is weaker than today's: here is a new one.
        case rightAndRehashed(String)
    }

    /// The encoded hash to store.
    public func hash(_ password: Secret) async throws(HashingPool.Saturated) -> String {
        let salt = ambient.randomBytes(16)
        return try await pool.run { [parameters] in Argon2.hash(password, parameters, salt: salt) }
    }

    /// Checks `password` against what is stored; against a dummy if nothing is.
    public func check(_ password: Secret, against stored: String?) async throws(HashingPool.Saturated) -> Verdict {
        guard password.exposed().utf8.count <= Limits.passwordBytesMax else { return .wrong }
        let salt = ambient.randomBytes(16)
        return try await pool.run { [parameters, dummyHash] in
            let matches = Argon2.verify(password, stored ?? dummyHash)
            guard matches, let stored else { return .wrong }
            guard Argon2Parameters(encodedHash: stored) != parameters else { return .right }
            return .rightAndRehashed(Argon2.hash(password, parameters, salt: salt))
        }
    }
}
