internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Writes users as rows that ``UserRowReader`` reads as the same users.
struct UserRowWriter {
    let access: AccessDirectory
    let withHashes: Bool
    /// Opens the authenticators, which are secrets like hashes; `nil`: they stay out.
    var authenticators: TOTPSeal?

    private static let standardClaims = Set(StandardClaims.all)

    /// - Throws: ``CommandFailure`` for an authenticator that does not open.
    func row(_ account: Account, _ authenticator: StoredTOTP? = nil) throws -> JSONValue {
        let user = account.user
        var row: [String: JSONValue] = [
            "sub": .string(user.id.rawValue), "status": .string(user.status.rawValue),
            "created_at": .integer(user.createdAt.rawValue), "updated_at": .integer(user.updatedAt.rawValue),
            "login_ids": loginIDs(account),
        ]
        var custom: [String: JSONValue] = [:]
        for (name, value) in user.claims where name != "updated_at" {
            if Self.standardClaims.contains(name) { row[name] = value } else { custom[name] = value }
        }
        if !custom.isEmpty { row["claims"] = .object(custom) }
        if !user.attributes.isEmpty { row["attributes"] = .object(user.attributes) }
        if user.isTest { row["test"] = true }
        if let time = user.othersAt { row["others_at"] = .integer(time.rawValue) }
        if let time = user.operatorsAt { row["operators_at"] = .integer(time.rawValue) }
        if let time = user.disputedAt { row["disputed_at"] = .integer(time.rawValue) }
        let roles = access.names(of: account.memberships.roles)
        if !roles.isEmpty { row["roles"] = .array(roles.map(JSONValue.string)) }
        let tenants = MembershipWriter(access: access).tenants(account.memberships)
        if tenants.arrayValue?.isEmpty == false { row["tenants"] = tenants }
        if withHashes, let hash = account.passwordHash { row["password_hash"] = .string(hash) }
        if let authenticators, let authenticator {
            guard let secret = authenticators.open(authenticator) else {
                throw CommandFailure.failed(
                    "the authenticator of \(user.id.rawValue) does not open with these secrets.")
            }
            row["totp_secret"] = .string(secret.base32.exposed())
        }
        return .object(row)
    }

    /// Plain texts, where the claims say the rest.
    private func loginIDs(_ account: Account) -> JSONValue {
        let sorted = account.identifiers.sorted {
            ($0.key.kind.rawValue, $0.key.value) < ($1.key.kind.rawValue, $1.key.value)
        }
        return .array(
            sorted.map { identifier, verification in
                let isVerified = verification == .verified
                let expected = UserIdentifiers.isVerified(identifier, identifier.value, account.user.claims)
                return expected == isVerified
                    ? .string(identifier.value) : ["value": .string(identifier.value), "verified": .bool(isVerified)]
            })
    }
}
