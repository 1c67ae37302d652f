internal import KeyturnWire

/// A set of rules for a client beyond OAuth's own.
public enum ClientProfile: String, CaseIterable, Hashable, Sendable {
    case standard = "default"
    /// FAPI 2.0 Security Profile.
    case fapi2
    /// Trifork Identity Manager: refresh tokens that are JWTs and stay valid after use.
    case tim
    /// Authgear: bearer access tokens in spite of a proven key, no nonces, UserInfo as its SDK decodes it, revocation
    /// by the token alone.
    case authgear
}

extension ClientProfile {
    /// The scopes that Authgear's apps ask for; the last is everything known about the user.
    public static let authgearScopes = [Scope.openID, Scope.offlineAccess, AuthgearNames.fullAccess]
}

/// A user, or a tenant's users, for whom a client may act without their doing: by subject selection, assertion,
/// `As-User`.
public enum ImpersonationRule: Hashable, Sendable {
    /// Its own account in a tenant, and every user of the tenant.
    case tenant(String)
    /// One user.
    case user(String)

    /// The permission that a user needs as well to act for others, in one of their tenants or everywhere.
    public static let permission = "users.impersonate"

    /// `tenant:ID` or `user:SUB`.
    public var text: String {
        switch self {
        case .tenant(let id): "tenant:\(id)"
        case .user(let subject): "user:\(subject)"
        }
    }

    /// Reads ``text``.
    public init?(text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        switch parts[0] {
        case "tenant": self = .tenant(parts[1])
        case "user": self = .user(parts[1])
        default: return nil
        }
    }
}

extension Client {
    /// Whether it may get tokens of its own account in a tenant.
    package func mayActIn(tenant: String) -> Bool {
        mayImpersonate.contains(.tenant(tenant))
    }

    /// Whether it may act for a user.
    ///
    /// - Parameter tenant: the tenant it works in now: only that tenant's users count; `nil`: none.
    package func mayActFor(_ account: Account, in tenant: String? = nil) -> Bool {
        mayImpersonate.contains { rule in
            switch rule {
            case .user(let subject): tenant == nil && account.user.id.rawValue == subject
            case .tenant(let name): (tenant == nil || tenant == name) && account.memberships.tenants[name] != nil
            }
        }
    }
}
