internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model

/// `keyturn user`: the people who can sign in.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Create, list, change, bring in and take out users.",
        subcommands: [
            Create.self, List.self, Show.self, Password.self, Disable.self, Enable.self, EndSessions.self,
            AddLoginID.self, RemoveLoginID.self, Assign.self, Unassign.self, Delete.self, Import.self, Export.self,
            PersonalData.self,
        ])

    static func find(_ name: String, in stores: Stores) async throws -> Account {
        if let identifier = Identifier(loginID: name), let account = try await stores.users.account(identifier) {
            return account
        }
        guard let account = try await stores.users.account(UserID(rawValue: name)) else {
            throw CommandFailure.refused(
                "there is no user \(Printable.text(name)). `keyturn user list` shows them all.")
        }
        return account
    }

    static func json(_ account: Account, _ access: AccessDirectory) -> JSONValue {
        let identifiers = account.identifiers.sorted { $0.key.value < $1.key.value }.map { identifier, verification in
            JSONValue.object([
                "kind": .string(identifier.kind.rawValue), "value": .string(identifier.value),
                "verified": .bool(verification == .verified),
            ])
        }
        return .object([
            "sub": .string(account.user.id.rawValue), "status": .string(account.user.status.rawValue),
            "claims": .object(account.user.claims), "attributes": .object(account.user.attributes),
            "identifiers": .array(identifiers), "has_password": .bool(account.passwordHash != nil),
            "test": .bool(account.user.isTest), "anonymous": .bool(account.user.isAnonymous),
            "roles": .array(access.names(of: account.memberships.roles).map(JSONValue.string)),
            "tenants": MembershipWriter(access: access).tenants(account.memberships),
            "created_at": .integer(account.user.createdAt.rawValue),
            "updated_at": .integer(account.user.updatedAt.rawValue),
        ])
    }

    static func row(_ account: Account) -> [String] {
        let names = account.identifiers.keys.map(\.shown).sorted().joined(separator: ", ")
        let status = account.user.status.rawValue
        return [
            account.user.id.rawValue, account.user.isAnonymous ? "\(status), anonymous" : status,
            Report.text(account.user.createdAt), names,
        ]
    }

    static let header = ["SUB", "STATUS", "CREATED", "LOGIN IDS"]
}

/// Where a user belongs, by the names that people give.
struct MembershipWriter {
    let access: AccessDirectory

    /// Tenants in alphabetical order, each with its roles; tenants that are gone are left out.
    func tenants(_ memberships: Memberships) -> JSONValue {
        let tenants = memberships.tenants.sorted { $0.key < $1.key }
        return .array(
            tenants.compactMap { id, roles in
                guard access.tenant(id) != nil else { return nil }
                return ["id": .string(id), "roles": .array(access.names(of: roles).map(JSONValue.string))]
            })
    }
}
