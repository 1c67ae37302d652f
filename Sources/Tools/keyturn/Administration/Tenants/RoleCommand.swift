internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// `keyturn role`: named sets of permissions.
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Create, list and delete roles.",
        discussion: "A role belongs to the whole project, or with --tenant to one tenant.",
        subcommands: [Create.self, List.self, Delete.self])

    static func unknown(_ name: String) -> CommandFailure {
        .refused("there is no role \(Printable.text(name)). `keyturn role list` shows them all.")
    }

    private static func json(_ role: Role) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(role.id), "name": .string(role.name), "description": .string(role.description),
            "permissions": .array(role.permissions.map(JSONValue.string)), "default": .bool(role.isDefault),
            "created_at": .integer(role.createdAt.rawValue),
        ]
        members["tenant"] = role.tenantID.map { .string($0) }
        return .object(members)
    }
}

extension RoleCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a role.",
            discussion: "keyturn role create admin --permission users.read --permission users.write")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "Its name, as it stands in tokens.") var name: String
        @Option(help: "The tenant that it belongs to. Default: the whole project.") var tenant: String?
        @Option(help: "What it allows; may be repeated. A permission that is new is created.") var permission:
            [String] =
                []
        @Option(help: "What it is for.") var description = ""
        @Flag(name: .customLong("default"), help: "Everybody who joins the tenant gets it.") var isDefault = false

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            for text in [name] + permission {
                if let flaw = TextRules.length(text, bytesMax: Limits.nameBytesMax) ?? TextRules.composed(text) {
                    throw CommandFailure.refused("\(flaw)")
                }
            }
            guard permission.count <= Limits.permissionsOfRoleMax, description.utf8.count <= Limits.descriptionBytesMax
            else {
                throw CommandFailure.refused(
                    "a role has at most \(Limits.permissionsOfRoleMax) permissions, and a description of "
                        + "\(Limits.descriptionBytesMax) bytes.")
            }
            try await options.withChanges { changes in
                let access = changes.access
                let tenant = try tenant.map { try TenantCommand.find($0, in: access).id }
                let role = Role(
                    id: UserID.make(.live).rawValue, tenantID: tenant, name: name, description: description,
                    permissions: permission, isDefault: isDefault, createdAt: Ambient.live.now())
                guard access.role(named: name, exactlyIn: tenant) == nil else {
                    throw CommandFailure.refused("there is a role \(Printable.text(name)) already.")
                }
                let known = Set(access.permissions.map(\.name))
                for name in permission where !known.contains(name) {
                    let permission = Permission(name: name)
                    let note = changes.note(from: nil, to: permission)
                    try await changes.recording(.permissionCreated, target: name, note: note)
                        .roles.create(permission, by: try AuditedDatabase.permitTenants(of: nil))
                }
                try await changes.recording(
                    .roleCreated, target: name, reason: tenant, note: changes.note(from: nil, to: role)
                ).roles.create(role, by: try AuditedDatabase.permitTenants(of: tenant))
                if options.json { Report.json(json(role)) } else { print("created \(name)") }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List roles and what they allow.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Option(help: "Only those of this tenant.") var tenant: String?

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withAccess { stores, access in
                let tenant = try tenant.map { try TenantCommand.find($0, in: access).id }
                let roles = access.roles.filter { tenant == nil || $0.tenantID == tenant }
                guard !options.json else { return Report.json(.array(roles.map(json))) }
                show(roles.map { [$0.name, $0.tenantID ?? "(all)", $0.permissions.joined(separator: " ")] })
            }
        }

        func show(_ rows: [[String]]) {
            guard !rows.isEmpty else { return print("No roles yet. Create one: keyturn role create NAME") }
            Report.table(["ROLE", "TENANT", "PERMISSIONS"], rows)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a role. Whoever had it has it no longer.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "Its name.") var name: String
        @Option(help: "The tenant that it belongs to. Default: the whole project.") var tenant: String?

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withChanges { changes in
                let tenant = try tenant.map { try TenantCommand.find($0, in: changes.access).id }
                guard let role = changes.access.role(named: name, exactlyIn: tenant) else { throw unknown(name) }
                let stores = changes.recording(
                    .roleDeleted, target: name, reason: tenant, note: changes.note(from: role, to: nil))
                _ = try await stores.roles.deleteRole(
                    role.id, by: try AuditedDatabase.permitTenants(of: tenant))
            }
            if options.json { Report.json(["deleted": .string(name)]) } else { print("deleted") }
        }
    }
}
