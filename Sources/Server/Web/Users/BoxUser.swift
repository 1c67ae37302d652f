internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// A user in the form of Box's interface.
struct BoxUser {
    private let members: [String: JSONValue]

    /// - Parameters:
    ///   - client: which asks.
    ///   - scope: what a user's own token may read.
    init(_ subject: UserAccess.Subject, to client: Client?, scope: Scope, _ access: UserAccess) {
        switch subject {
        case .client(let client, let tenant, _):
            members = Self.members(of: client, tenant: tenant.flatMap(access.tenant))
        case .user(let account, let sight):
            let tenants = account.memberships.tenants.keys.compactMap(access.tenant)
            members = Self.members(
                of: account, tenant: tenants.count == 1 ? tenants[0] : nil,
                unverifiedContacts: client?.hearsUnverifiedContacts ?? false
            ) { name, member in
                sight == .everything || scope.contains(name)
                    || sight == .nameAndLogin && ["name", "login"].contains(member)
            }
        }
    }

    /// - Parameter fields: the members to write, besides `type` and `id`; `nil`: all.
    func json(fields: Set<String>?) -> [UInt8] {
        let always: Set = ["type", "id"]
        let wanted = members.filter { fields?.union(always).contains($0.key) ?? true }
        return JSONValue.object(wanted).serialized
    }

    private static func members(of client: Client, tenant: Tenant?) -> [String: JSONValue] {
        let id = "client:\(client.id)"
        var members: [String: JSONValue] = [
            "type": "user", "id": .string(id), "name": .string(client.name), "login": .string(id), "status": "active",
        ]
        if let tenant { members["enterprise"] = enterprise(tenant) }
        return members
    }

    private static func members(
        of account: Account, tenant: Tenant?, unverifiedContacts: Bool,
        may: (_ scope: String, _ member: String) -> Bool
    ) -> [String: JSONValue] {
        let user = account.user
        var members: [String: JSONValue] = [
            "type": "user", "id": .string(user.id.rawValue),
            "status": user.status == .active ? "active" : "inactive",
            "created_at": .string(time(user.createdAt)), "modified_at": .string(time(user.updatedAt)),
        ]
        let claims = [
            ("profile", "name", "name"), ("email", "email", "login"), ("phone", "phone_number", "phone"),
            ("profile", "locale", "language"), ("profile", "zoneinfo", "timezone"),
            ("profile", "picture", "avatar_url"),
        ]
        var told = user.claims(withUnverifiedContacts: unverifiedContacts)
        // `login` is a name that programs find accounts by: always a proved address.
        told["email"] = user.claims(withUnverifiedContacts: false)["email"]
        if account.told("name").isEmpty { told["name"] = nil }
        for (scope, claim, member) in claims where may(scope, member) {
            if let value = told[claim] { members[member] = value }
        }
        if let tenant, may("profile", "enterprise") { members["enterprise"] = enterprise(tenant) }
        return members
    }

    private static func enterprise(_ tenant: Tenant) -> JSONValue {
        ["type": "enterprise", "id": .string(tenant.id), "name": .string(tenant.name)]
    }

    private static func time(_ time: UnixTime) -> String {
        Date(timeIntervalSince1970: TimeInterval(time.rawValue)).formatted(.iso8601)
    }
}
