/// The permissions by which a user acts as others: as another user on the methods' wire, and for another user at an API.
/// They are an owner's to give, and who has one counts as an owner where operators change users.
package enum ActingPermissions {
    package static let names: Set<String> = [ofSessions, ImpersonationRule.permission]

    /// The one of the methods' wire: its holder opens sessions of other users.
    package static let ofSessions = "Impersonate"

    private struct Held: Hashable {
        let permission: String
        /// `nil`: everywhere.
        let tenant: String?
    }

    /// Whether memberships hold one of them that the former ones did not.
    package static func areAdded(by new: Memberships, to old: Memberships, _ directory: AccessDirectory) -> Bool {
        guard new != old else { return false }
        let before = held(old, directory)
        return held(new, directory).contains {
            !before.contains($0) && !before.contains(Held(permission: $0.permission, tenant: nil))
        }
    }

    /// The roles that give one of them, by identifier.
    package static func roles(_ directory: AccessDirectory) -> Set<String> {
        Set(directory.roles.filter { !names.isDisjoint(with: $0.permissions) }.map(\.id))
    }

    /// The roles that users of a tenant can have and that give one of them.
    package static func roles(in tenant: String?, _ directory: AccessDirectory) -> [Role] {
        directory.roles.filter {
            !names.isDisjoint(with: $0.permissions) && ($0.tenantID == nil || $0.tenantID == tenant)
        }
    }

    private static func held(_ memberships: Memberships, _ directory: AccessDirectory) -> Set<Held> {
        let entitlements = directory.entitlements(of: memberships)
        let everywhere = names.intersection(entitlements.everywhere.permissions)
        var result = Set(everywhere.map { Held(permission: $0, tenant: nil) })
        for (tenant, rights) in entitlements.tenants {
            for name in names.intersection(rights.permissions) { result.insert(Held(permission: name, tenant: tenant)) }
        }
        return result
    }
}

extension User {
    /// Whether the server lets the user act as others by such a permission: no operator who is no owner has set up a
    /// way to sign in to the account (``operatorsAt``). Who did would be the one who acts.
    package var mayActAsOthers: Bool { operatorsAt == nil }
}

extension Entitlements {
    /// The rights as programs are told them. A program that reads a permission in a token does what it says: a user
    /// whom the server lets act as no other user has none of ``ActingPermissions/names`` there.
    package func told(of user: User) -> Entitlements {
        guard !user.mayActAsOthers else { return self }
        return Entitlements(
            everywhere: everywhere.withoutActing, tenants: tenants.mapValues { $0.withoutActing })
    }
}

extension Entitlements.Rights {
    fileprivate var withoutActing: Entitlements.Rights {
        Entitlements.Rights(
            roles: roles, permissions: permissions.filter { !ActingPermissions.names.contains($0) })
    }
}
