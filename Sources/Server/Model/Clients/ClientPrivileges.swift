internal import KeyturnWire

/// A set of rules for a client beyond OAuth's own.
public enum ClientProfile: String, CaseIterable, Hashable, Sendable {
    case standard = "default"
    /// FAPI 2.0 Security Profile.
    case fapi2
    /// What clients of Trifork Identity Manager need: refresh tokens that are JWTs and are not used up by their use.
    case tim
    /// What apps of Authgear need: bearer access tokens although they prove a key, no nonces, UserInfo as they decode it,
    /// revocation by the token alone.
    case authgear
}

extension ClientProfile {
    /// What apps of Authgear ask for; the last is everything that is known about the person.
    public static let authgearScopes = [Scope.openID, Scope.offlineAccess, AuthgearNames.fullAccess]
}

/// Somebody whom a client may act for, without their doing: by subject selection, by assertion, by `As-User`.
public enum ImpersonationRule: Hashable, Sendable {
    /// Its own account in a tenant, and every user of the tenant.
    case tenant(String)
    /// One user.
    case user(String)

    /// What a user needs beside it to act for others: this permission, in a tenant of theirs or everywhere.
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
    /// Whether it may have tokens of its own account in a tenant.
    package func mayActIn(tenant: String) -> Bool {
        mayImpersonate.contains(.tenant(tenant))
    }

    /// Whether it may act for a user.
    ///
    /// - Parameter tenant: the tenant that it works in at the moment, whose users alone count then; `nil`: in none.
    package func mayActFor(_ account: Account, in tenant: String? = nil) -> Bool {
        mayImpersonate.contains { rule in
            switch rule {
            case .user(let subject): tenant == nil && account.user.id.rawValue == subject
            case .tenant(let name): (tenant == nil || tenant == name) && account.memberships.tenants[name] != nil
            }
        }
    }
}
