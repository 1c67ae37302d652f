public import KeyturnBase
public import Model

/// Makes and checks password hashes on the pool. An unknown user name costs the same time as a wrong password.
public struct Passwords: Sendable {
    private let pool: HashingPool
    private let parameters: Argon2Parameters
    private let ambient: Ambient
    /// Checked if there is no user, so that the time does not show which accounts exist.
    private let dummyHash: String
    /// What hashes from elsewhere cost, which other accounts must cost as well.
    public let costs: HashCosts
    private let onWork: (@Sendable (HashWork) -> Void)?

    /// - Parameters:
    ///   - costs: of the hashes that are stored; without it, none is from elsewhere.
    public init(
        pool: HashingPool, parameters: Argon2Parameters = .standard, costs: HashCosts = HashCosts(), ambient: Ambient
    ) {
        self.init(pool: pool, parameters: parameters, costs: costs, ambient: ambient, onWork: nil)
    }

    /// - Parameter onWork: told of each computation; for tests.
    init(
        pool: HashingPool, parameters: Argon2Parameters, costs: HashCosts, ambient: Ambient,
        onWork: (@Sendable (HashWork) -> Void)?
    ) {
        self.pool = pool
        self.parameters = parameters
        self.costs = costs
        self.ambient = ambient
        self.onWork = onWork
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
    /// A hash of another product that ``StoredPasswordHash`` accepts is checked as that product did. A wrong password
    /// costs the same for every account, and for none: one hash of ours, and the dearest hash from elsewhere.
    public func check(_ password: Secret, against stored: String?) async throws(HashingPool.Saturated) -> Verdict {
        guard password.exposed().utf8.count <= Limits.passwordBytesMax else { return .wrong }
        let salt = ambient.randomBytes(16)
        let comparison = comparison
        return try await pool.run { comparison.verdict(password, stored, salt: salt) }
    }

    /// Whether `password` is that of a stored hash, at the cost of this hash alone: for hashes of an account whose user
    /// is signed in.
    public func matches(_ password: Secret, _ stored: String) async throws(HashingPool.Saturated) -> Bool {
        guard password.exposed().utf8.count <= Limits.passwordBytesMax else { return false }
        let comparison = comparison
        return try await pool.run { comparison.matches(password, stored) }
    }

    private var comparison: PasswordComparison {
        PasswordComparison(parameters: parameters, dummyHash: dummyHash, dearest: costs.dearest, onWork: onWork)
    }

    /// What is wrong with a new password. The list of breached ones is read on a thread that delays no other request.
    public func flaws(
        in password: Secret, policy: PasswordPolicy, identifiers: [Identifier], breached: BreachedPasswords?
    ) async throws(HashingPool.Saturated) -> [PasswordPolicy.Flaw] {
        guard let breached else { return policy.flaws(in: password, identifiers: identifiers) }
        return try await pool.run { policy.flaws(in: password, identifiers: identifiers, breached: breached) }
    }
}
