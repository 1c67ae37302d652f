internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// `keyturn tenant`: customer organisations.
struct TenantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenant",
        abstract: "Create, list and delete tenants, prove their domains, and require their sign-in.",
        discussion: "A tenant is a customer organisation. Users belong to it by `keyturn user assign`.",
        subcommands: [Create.self, List.self, Delete.self, TenantDomainCommand.self, TenantSignOnCommand.self])

    static func find(_ id: String, in access: AccessDirectory) throws -> Tenant {
        if let tenant = access.tenant(id) { return tenant }
        let hint = Suggestion.nearest(to: id, among: access.tenants.map(\.id)).map { "Did you mean \($0)?" }
        throw CommandFailure.refused(
            "there is no tenant \(Printable.text(id)). \(hint ?? "`keyturn tenant list` shows them all.")")
    }

    private static func json(_ tenant: Tenant) -> JSONValue {
        [
            "id": .string(tenant.id), "name": .string(tenant.name), "attributes": .object(tenant.attributes),
            "self_provisioning_domains": .array(tenant.selfProvisioningDomains.map(JSONValue.string)),
            "requires_sso": .bool(tenant.requiresSingleSignOn), "created_at": .integer(tenant.createdAt.rawValue),
        ]
    }
}

extension TenantCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Create a tenant.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "Its identifier, which never changes: it stands in tokens.") var id: String
        @Option(help: "What people call it. Default: the identifier.") var name: String?
        @Option(help: ArgumentHelp("Whose addresses may join by themselves; may be repeated.", valueName: "domain"))
        var domain: [String] = []

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let bytesMax = Limits.nameBytesMax
            if let flaw = TextRules.length(id, bytesMax: bytesMax) ?? TextRules.identifier(id) {
                throw CommandFailure.refused("the identifier: \(flaw)")
            }
            for text in [name].compactMap(\.self) + domain {
                if let flaw = TextRules.length(text, bytesMax: bytesMax) { throw CommandFailure.refused("\(flaw)") }
            }
            let tenant = Tenant(
                id: id, name: name ?? id, selfProvisioningDomains: domain.map { $0.lowercased() },
                createdAt: Ambient.live.now())
            try await options.withChanges { changes in
                if let present = changes.access.tenant(id) {
                    throw CommandFailure.refused(
                        "there is a tenant \(Printable.text(id)) already: \(Printable.text(present.name)).")
                }
                try await changes.recording(.tenantCreated, target: id, note: changes.note(from: nil, to: tenant))
                    .tenants.create(tenant, by: try AuditedDatabase.permitTenants(of: id))
            }
            if options.json { Report.json(json(tenant)) } else { print("created \(id)") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List tenants.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let tenants = try await options.withStores { stores in
                try await stores.tenants.all(limit: Limits.tenantsMax)
            }
            guard !options.json else { return Report.json(.array(tenants.map(json))) }
            show(tenants.map { [$0.id, Report.text($0.createdAt), $0.name] })
        }

        func show(_ rows: [[String]]) {
            guard !rows.isEmpty else { return print("No tenants yet. Create one: keyturn tenant create ID") }
            Report.table(["TENANT", "CREATED", "NAME"], rows)
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a tenant with its roles. Its users stay.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "Its identifier.") var id: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withChanges { changes in
                let tenant = try find(id, in: changes.access)
                let note = changes.note(from: tenant, to: nil)
                _ = try await changes.recording(.tenantDeleted, target: tenant.id, note: note)
                    .tenants.delete(
                        by: try AuditedDatabase.permitTenants(of: tenant.id), at: Ambient.live.now())
            }
            if options.json { Report.json(["deleted": .string(id)]) } else { print("deleted") }
        }
    }
}
