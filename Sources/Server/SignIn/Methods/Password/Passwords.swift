public import KeyturnBase
public import Model

/// Makes and checks password hashes on the pool. An unknown user name costs the same time as a wrong password.
public struct Passwords: Sendable {
    private let pool: HashingPool
    private let parameters: Argon2Parameters
    private let ambient: Ambient
    /// Checked if there is no user, so that the time does not show which accounts exist.
    private let dummyHash: String

    public init(pool: HashingPool, parameters: Argon2Parameters = .standard, ambient: Ambient) {
        self.pool = pool
        self.parameters = parameters
        self.ambient = ambient
        // The password of this hash is unknown, and it would never be accepted: see check().
        let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let text = { (count: Int) in String(ambient.randomBytes(count).map { base64[Int($0 & 0x3F)] }) }
        dummyHash =
            "$argon2id$v=19$m=\(parameters.memoryKiB),t=\(parameters.passes),p=\(parameters.lanes)"
            + "$\(text(21))A$\(text(42))A"
    }

    /// The result of a check.
    public enum Verdict: Hashable, Sendable {
        case wrong
        case right
        /// Right, but the stored hash is weaker than today's, or another product's: the value is a new one.
        case rightAndRehashed(String)
    }

    /// The encoded hash to store.
    public func hash(_ password: Secret) async throws(HashingPool.Saturated) -> String {
        let salt = ambient.randomBytes(16)
        return try await pool.run { [parameters] in Argon2.hash(password, parameters, salt: salt) }
    }

    /// Checks `password` against the stored hash; against a dummy if there is none.
    ///
    /// A hash of another product that ``StoredPasswordHash`` accepts is checked as that product did. Then one hash of
    /// ours is computed in any case, the new one or the dummy, so that cheap hashes do not answer faster.
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

    /// What is wrong with a new password. The list of breached ones is read on a thread that delays no other request.
    public func flaws(
        in password: Secret, policy: PasswordPolicy, identifiers: [Identifier], breached: BreachedPasswords?
    ) async throws(HashingPool.Saturated) -> [PasswordPolicy.Flaw] {
        guard let breached else { return policy.flaws(in: password, identifiers: identifiers) }
        return try await pool.run { policy.flaws(in: password, identifiers: identifiers, breached: breached) }
    }
}
