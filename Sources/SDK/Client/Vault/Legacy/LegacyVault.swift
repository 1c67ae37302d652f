internal import KeyturnBase

/// Another library's vault: what it keeps for whom.
struct LegacyVault: Sendable {
    let items: any LegacyVaultItems
    let method: LegacyVaultMethod

    /// What is kept for one user.
    struct Found: Sendable {
        let keyID: String
        let sealed: [UInt8]
    }

    /// - Returns: `nil` if there is certainly no such user, or half of one.
    func find(_ user: String) async throws(AuthError) -> Found? {
        guard let name = try await items.item(Self.keyIDName(user)),
            let keyID = String(validating: name, as: UTF8.self), !keyID.isEmpty,
            let sealed = try await items.item(Self.tokenName(user)), sealed.count <= Limits.legacyItemMaxBytes
        else { return nil }
        return Found(keyID: keyID, sealed: sealed)
    }

    func users() async throws(AuthError) -> [String] {
        guard let list = try await items.item(Self.usersName) else { return [] }
        return (try? JSONValue(parsing: list))?.stringArrayValue ?? []
    }

    /// - Throws: `vault.damaged` if it does not open by this method and key.
    func refreshToken(_ found: Found, _ key: DataKey) throws(AuthError) -> Secret {
        let plain = try key.open(found.sealed, by: method)
        guard let token = String(validating: plain, as: UTF8.self), !token.isEmpty,
            plain.count <= Limits.tokenMaxBytes, plain.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw AuthError(.vaultDamaged, "what is stored decrypts to no token: damaged, or another method") }
        return Secret(token)
    }

    /// Removes what is kept for `user`: the token last, so that an interruption leaves nothing that looks whole.
    func remove(_ user: String) async throws(AuthError) {
        if let found = try await find(user) { try await items.removeItem(Self.longSecretName(found.keyID)) }
        let users = try await users()
        if users.contains(user) {
            let rest = JSONValue.array(users.filter { $0 != user }.map { .string($0) })
            try await items.replaceItem(Self.usersName, with: rest.serialized)
        }
        try await items.removeItem(Self.keyIDName(user))
        try await items.removeItem(Self.tokenName(user))
    }

    static let usersName = "availableUserIds"
    static func keyIDName(_ user: String) -> String { "keyId_\(user)" }
    static func tokenName(_ user: String) -> String { "refreshToken_\(user)" }
    static func longSecretName(_ keyID: String) -> String { "TIMEncryptedStorage.longSecret.\(keyID)" }
}
