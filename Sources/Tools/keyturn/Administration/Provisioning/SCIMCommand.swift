internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// `keyturn scim`: how tenants' directories provision users.
struct SCIMCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scim", abstract: "Let a tenant's own directory manage its users and groups.",
        discussion: "The directory gets the server's address with /scim/v2, and a token.",
        subcommands: [SCIMTokenCommand.self, SCIMGroupCommand.self])
}

/// `keyturn scim group`: which role the members of a directory's group have.
struct SCIMGroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "List a directory's groups, and give their members a role.",
        subcommands: [List.self, Map.self, Unmap.self])

    fileprivate static func groups(of tenant: String, in stores: Stores) async throws -> [SCIMRecord] {
        var query = SCIMQuery(tenantID: tenant, kind: .group)
        query.limit = Limits.rolesMax
        return try await stores.provisioned.search(query)
    }

    fileprivate static func name(_ group: SCIMRecord) -> String { group.attributes["displayName"]?.stringValue ?? "" }

    /// The group of this identifier, or of this name.
    fileprivate static func find(_ text: String, of tenant: String, in stores: Stores) async throws -> SCIMRecord {
        var query = SCIMQuery(tenantID: tenant, kind: .group)
        query.condition = .any([.id(.equal, text), .value(path: "displayname", .equal, text.lowercased())])
        guard let group = try await stores.provisioned.search(query).first else {
            throw CommandFailure.refused("there is no group \(Printable.text(text)) in \(Printable.text(tenant)).")
        }
        return group
    }
}

extension SCIMGroupCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List a tenant's groups with their roles.")

        @OptionGroup var options: AdministrationOptions
        @Option(help: "The tenant.") var tenant: String

        func run() async throws {
            let (groups, names) = try await options.withAccess { stores, access in
                let tenant = try TenantCommand.find(tenant, in: access).id
                let groups = try await SCIMGroupCommand.groups(of: tenant, in: stores)
                return (groups, groups.map { $0.roleID.flatMap(access.role)?.name })
            }
            guard !options.json else {
                return Report.json(
                    .array(
                        zip(groups, names).map { group, role in
                            var members: [String: JSONValue] = [
                                "id": .string(group.id), "name": .string(SCIMGroupCommand.name(group)),
                            ]
                            members["role"] = role.map(JSONValue.string)
                            return .object(members)
                        }))
            }
            guard !groups.isEmpty else { return print("The directory has sent no groups yet.") }
            Report.table(
                ["GROUP", "NAME", "ROLE"],
                zip(groups, names).map { [$0.id, SCIMGroupCommand.name($0), $1 ?? "-"] })
        }
    }

    struct Map: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "map",
            abstract: "Give the members of a group a role of the tenant.",
            discussion: "keyturn scim group map Administrators --role admin --tenant acme")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The group, by its identifier or its name.") var group: String
        @Option(help: "A role of the tenant.") var role: String
        @Option(help: "The tenant.") var tenant: String

        func run() async throws {
            try await options.withChanges { changes in
                let tenant = try TenantCommand.find(tenant, in: changes.access).id
                guard let role = changes.access.role(named: role, exactlyIn: tenant) else {
                    throw CommandFailure.refused(
                        "\(Printable.text(tenant)) has no role \(Printable.text(role)) of its own.")
                }
                let group = try await SCIMGroupCommand.find(group, of: tenant, in: changes.stores)
                let note = changes.note(from: group, to: group.mapped(to: role.id))
                try await changes.recording(.provisionedGroupMapped, target: group.id, reason: role.name, note: note)
                    .provisionedGroups.map(
                        group.id, to: role.id, by: try AuditedDatabase.permitTenants(of: tenant), at: Ambient.live.now()
                    )
            }
            if options.json { Report.json(["mapped": .string(group)]) } else { print("mapped") }
        }
    }

    struct Unmap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unmap", abstract: "Take the group's role from its members.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The group, by its identifier or its name.") var group: String
        @Option(help: "The tenant.") var tenant: String

        func run() async throws {
            try await options.withChanges { changes in
                let group = try await SCIMGroupCommand.find(group, of: tenant, in: changes.stores)
                let note = changes.note(from: group, to: group.mapped(to: nil))
                try await changes.recording(.provisionedGroupMapped, target: group.id, note: note)
                    .provisionedGroups.map(
                        group.id, to: nil, by: try AuditedDatabase.permitTenants(of: tenant), at: Ambient.live.now())
            }
            if options.json { Report.json(["unmapped": .string(group)]) } else { print("unmapped") }
        }
    }
}
