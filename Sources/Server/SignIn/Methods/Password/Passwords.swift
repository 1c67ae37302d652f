public import KeyturnBase
public import Model

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
        /// Right, and the stored hash is weaker than today's, or another product's: here is a new one.
        case rightAndRehashed(String)
    }

    /// The encoded hash to store.
    public func hash(_ password: Secret) async throws(HashingPool.Saturated) -> String {
        let salt = ambient.randomBytes(16)
        return try await pool.run { [parameters] in Argon2.hash(password, parameters, salt: salt) }
    }

    /// Checks `password` against what is stored; against a dummy if nothing is.
    ///
    /// What another product made, and ``StoredPasswordHash`` accepts, is checked as that product did. Whatever comes of
    /// it, one hash of ours follows: the new one, or the dummy, so that cheap hashes do not answer faster.
    public func check(_ password: Secret, against stored: String?) async throws(HashingPool.Saturated) -> Verdict {
        guard password.exposed().utf8.count <= Limits.passwordBytesMax else { return .wrong }
        let salt = ambient.randomBytes(16)
        return try await pool.run { [parameters, dummyHash] in
            if let stored, Argon2Parameters(encodedHash: stored) == nil {
                guard let foreign = try? StoredPasswordHash(stored), foreign.matches(password) else {
                    _ = Argon2.verify(password, dummyHash)
                    return .wrong
                }
                return .rightAndRehashed(Argon2.hash(password, parameters, salt: salt))
            }
            let matches = Argon2.verify(password, stored ?? dummyHash)
            guard matches, let stored else { return .wrong }
            guard Argon2Parameters(encodedHash: stored) != parameters else { return .right }
            return .rightAndRehashed(Argon2.hash(password, parameters, salt: salt))
        }
    }

    /// What is wrong with a new password, with the list of breached ones read where reading makes nobody else wait.
    public func flaws(
        in password: Secret, policy: PasswordPolicy, identifiers: [Identifier], breached: BreachedPasswords?
    ) async throws(HashingPool.Saturated) -> [PasswordPolicy.Flaw] {
        guard let breached else { return policy.flaws(in: password, identifiers: identifiers) }
        return try await pool.run { policy.flaws(in: password, identifiers: identifiers, breached: breached) }
    }
}
