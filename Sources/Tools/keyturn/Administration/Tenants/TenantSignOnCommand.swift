internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// `keyturn tenant sso`: whether a tenant's users sign in at its own connections alone.
struct TenantSignOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sso", abstract: "Let a tenant's users sign in at its own connections alone, or show the rule.",
        discussion: """
            Users who are excluded may sign in in another way, by their identifier alone; each such sign-in is recorded.
            Exclude one who can help if the provider fails.
            """)

    @OptionGroup var options: AdministrationOptions
    @Argument(help: "The tenant.") var tenant: String
    @Flag(inversion: .prefixedNo, help: "Whether the rule holds.") var require: Bool?
    @Option(help: ArgumentHelp("Excludes a user; may be repeated.", valueName: "user-id")) var exclude: [String] = []
    @Option(help: ArgumentHelp("Excludes a user no more; may be repeated.", valueName: "user-id"))
    var include: [String] = []

    func run() async throws {
        let changed = try await options.withChanges { changes in
            let present = try TenantCommand.find(tenant, in: changes.access)
            var changed = present
            changed.requiresSingleSignOn = require ?? present.requiresSingleSignOn
            if changed.requiresSingleSignOn, !present.requiresSingleSignOn {
                try await refuseWithoutConnection(present, changes.access, changes.stores)
            }
            changed.singleSignOnExclusions.removeAll { include.contains($0) || exclude.contains($0) }
            for id in exclude {
                guard try await changes.stores.users.account(UserID(rawValue: id)) != nil else {
                    throw CommandFailure.refused(
                        "\(Printable.text(id)) is no identifier of a user. `keyturn user show NAME` shows it.")
                }
                changed.singleSignOnExclusions.append(id)
            }
            guard changed.singleSignOnExclusions.count <= Limits.singleSignOnExclusionsMax else {
                throw CommandFailure.refused(
                    "at most \(Limits.singleSignOnExclusionsMax) users can be excluded.")
            }
            if changed != present {
                try await changes.recording(
                    .tenantUpdated, target: present.id, note: changes.note(from: present, to: changed)
                ).tenants.update(changed, by: try AuditedDatabase.permitTenants(of: present.id))
            }
            return changed
        }
        guard !options.json else { return Report.json(Self.json(changed)) }
        print(
            changed.requiresSingleSignOn
                ? "users of \(changed.id) sign in at its connections alone" : "users of \(changed.id) sign in as others"
        )
        for id in changed.singleSignOnExclusions { print("excluded: \(Printable.text(id))") }
    }

    /// Without a connection, no user of the tenant could sign in.
    private func refuseWithoutConnection(_ tenant: Tenant, _ access: AccessDirectory, _ stores: Stores) async throws {
        let context = try await ConnectionCommand.Context(
            try options.configuration(), access, stores.connections, stores)
        guard context.connections.connections(of: tenant.id).contains(where: \.isEnabled) else {
            throw CommandFailure.refused(
                """
                \(tenant.id) has no enabled connection, so its users could not sign in. `keyturn connection add` makes one.
                """)
        }
    }

    private static func json(_ tenant: Tenant) -> JSONValue {
        [
            "tenant": .string(tenant.id), "requires_sso": .bool(tenant.requiresSingleSignOn),
            "sso_exclusions": .array(tenant.singleSignOnExclusions.map(JSONValue.string)),
        ]
    }
}
