internal import ArgumentParser
internal import Authority
internal import KeyturnBase
internal import Model

extension UserCommand {
    /// Which tenant and role a user gets or loses.
    struct MembershipOptions: ParsableArguments {
        @Option(help: "The tenant, by its identifier.") var tenant: String?
        @Option(help: "The role, by its name; with --tenant in that tenant, otherwise everywhere.") var role: String?

        func validate() throws {
            guard tenant != nil || role != nil else { throw ValidationError("Say --tenant, --role, or both.") }
        }

        /// The identifiers of both.
        func find(in access: AccessDirectory) throws -> (tenant: String?, role: String?) {
            let tenant = try tenant.map { try TenantCommand.find($0, in: access).id }
            guard let role else { return (tenant, nil) }
            guard let found = access.role(named: role, in: tenant) else { throw RoleCommand.unknown(role) }
            return (tenant, found.id)
        }
    }

    struct Assign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "assign",
            abstract: "Put a user into a tenant, or give a role.",
            discussion: """
                Into a tenant, into a tenant as admin, and as support everywhere:

                  keyturn user assign ann@example.com --tenant ent-1
                  keyturn user assign ann@example.com --tenant ent-1 --role admin
                  keyturn user assign ann@example.com --role support
                """)

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @OptionGroup var membership: MembershipOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await change(user, options, membership, "assigned") { memberships, tenant, role in
                if let tenant, memberships.tenants[tenant] == nil { memberships.tenants[tenant] = [] }
                if let role { memberships.add(role: role, in: tenant) }
            }
        }
    }

    struct Unassign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unassign",
            abstract: "Take a user out of a tenant, or a role away.",
            discussion: "With --tenant alone: out of the tenant, with every role there.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @OptionGroup var membership: MembershipOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await change(user, options, membership, "unassigned") { memberships, tenant, role in
                if let role {
                    memberships.remove(role: role, in: tenant)
                } else if let tenant {
                    memberships.tenants[tenant] = nil
                }
            }
        }
    }

    private static func change(
        _ name: String, _ options: AdministrationOptions, _ membership: MembershipOptions, _ reason: String,
        _ rule: @escaping @Sendable (inout Memberships, _ tenant: String?, _ role: String?) -> Void
    ) async throws {
        try await options.withChanges { changes in
            let access = changes.access
            let (tenant, role) = try membership.find(in: access)
            let account = try await find(name, in: changes.stores)
            var wanted = account.memberships
            rule(&wanted, tenant, role)
            guard wanted.isWithinLimits else {
                throw CommandFailure.refused(
                    "a user has at most \(Limits.tenantsOfUserMax) tenants, and \(Limits.rolesOfUserMax) roles in each."
                )
            }
            let kind: AuditEvent.Kind = role == nil ? .userTenantsChanged : .userRolesChanged
            let target = [membership.role, tenant].compactMap(\.self).joined(separator: "@")
            let note = changes.note
            let stores =
                wanted == account.memberships
                ? changes.stores
                : changes.recording(kind, user: account.user.id, target: target, reason: reason, note: note)
            let noted = note.noting { (account: inout Account) in rule(&account.memberships, tenant, role) }
            let changed = try await stores.users.change(
                by: try AuditedDatabase.permitChange(of: account), at: Ambient.live.now(), noted)
            if options.json {
                Report.json(json(changed, access))
            } else {
                print("done; apps see it at the next renewal")
            }
        }
    }
}
