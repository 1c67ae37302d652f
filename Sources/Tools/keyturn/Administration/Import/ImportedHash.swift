internal import KeyturnBase
internal import SignIn

/// The `password_hash` of a row: a text that says by itself how it was made, or the parts that Firebase exports.
enum ImportedHash {
    /// - Returns: what is stored.
    /// - Throws: a refusal that does not quote the hash.
    static func read(_ value: JSONValue) throws(Refusal) -> String {
        do throws(PasswordHashRefusal) {
            if let parts = value.objectValue { return try firebase(parts).encoded.exposed() }
            return try StoredPasswordHash(value.stringValue ?? "").encoded.exposed()
        } catch {
            throw Refusal("password_hash: \(error)", remedy(for: error.reason))
        }
    }

    private static func firebase(_ parts: [String: JSONValue]) throws(PasswordHashRefusal) -> StoredPasswordHash {
        // What is missing is empty, and so no hash.
        let text = { (name: String) in parts[name]?.stringValue ?? "" }
        return try .firebase(
            hash: text("hash"), salt: text("salt"), separator: text("separator"), signerKey: text("signer_key"),
            rounds: Int(parts["rounds"]?.integerValue ?? 8), memoryCost: Int(parts["memory_cost"]?.integerValue ?? 14))
    }

    private static func remedy(for reason: PasswordHashRefusal.Reason) -> String {
        switch reason {
        case .unknown, .malformed: "Write it as its maker does, or leave it out: the user can choose a new password."
        case .tooExpensive: "Leave it out: the user can choose a new password."
        case .unavailable: "Run this on a system with libcrypt, or leave it out."
        }
    }
}
