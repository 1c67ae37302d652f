internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Imported credentials of users: passwords, in the clear or as another system's hash, and authenticators.
extension ManagedUsers {
    /// The authenticator to store; `nil` if the body brings no `seed`.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` if it is not base32, too short or too long. Does not contain it.
    func authenticator(_ body: MethodBody) throws -> StoredTOTP? {
        guard let seed = try body.secret("seed") else { return nil }
        guard let secret = TOTPSecret(typed: seed) else {
            throw MethodProblem.invalidArguments.saying("The seed field is not the key of an authenticator, in base32")
        }
        return authenticators.store(secret, isConfirmed: true)
    }

    /// The hash to store; `nil` if the body has no password. The policy is the operator's responsibility.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` for a hash that cannot be checked here, and says why.
    func passwordHash(_ body: MethodBody) async throws -> String? {
        let foreign = try body.body("hashedPassword")
        if let password = try body.secret("password") {
            guard foreign.members.isEmpty else {
                throw MethodProblem.invalidArguments.saying("A password comes in the clear or as a hash, not as both")
            }
            guard password.exposed().utf8.count <= Limits.passwordBytesMax, !password.exposed().utf8.contains(0) else {
                throw MethodProblem.invalidArguments.saying("The password field cannot be a password")
            }
            return try await passwords.hash(password)
        }
        guard !foreign.members.isEmpty else { return nil }
        do {
            guard let hash = try Self.stored(foreign)?.encoded.exposed() else { return nil }
            passwords.costs.note(hash)
            return hash
        } catch let refusal as PasswordHashRefusal {
            throw MethodProblem.invalidArguments.saying("The hashedPassword field is refused: \(refusal)")
        }
    }

    private static func stored(_ body: MethodBody) throws -> StoredPasswordHash? {
        guard body.members.count == 1, let scheme = body.members.keys.first else {
            throw MethodProblem.invalidArguments.saying("The hashedPassword field names one kind of hash")
        }
        let parts = try body.body(scheme)
        let hash = try parts.requiredText("hash")
        switch scheme {
        case "bcrypt", "django", "phpass", "argon2": return try StoredPasswordHash(hash)
        case "pbkdf2":
            return try .pbkdf2(
                function: parts.text("type") ?? "sha256", iterations: count(parts, "iterations"),
                salt: parts.requiredText("salt"), hash: hash)
        case "firebase":
            return try .firebase(
                hash: hash, salt: parts.requiredText("salt"), separator: parts.text("saltSeparator") ?? "",
                signerKey: parts.requiredText("signerKey"), rounds: count(parts, "rounds"),
                memoryCost: count(parts, "memory"))
        default: throw MethodProblem.invalidArguments.saying("Hashes of that kind cannot be checked here")
        }
    }

    private static func count(_ parts: MethodBody, _ name: String) throws -> Int {
        guard let value = try parts.integer(name), let count = Int(exactly: value), count > 0 else {
            throw MethodProblem.missing(name)
        }
        return count
    }
}
