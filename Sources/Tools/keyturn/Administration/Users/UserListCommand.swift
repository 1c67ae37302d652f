internal import ArgumentParser
internal import KeyturnBase
internal import Model

extension UserCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List and search users, in the order of their creation.",
            discussion: """
                Conditions that are given must all hold: keyturn user list ann --tenant ent-1 --status active
                Exports of everything are better made with `keyturn user export`.
                """)

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "Part of the name or of a login ID.") var text: String?
        @Option(help: "Members of this tenant.") var tenant: String?
        @Option(help: "Who has this role, anywhere.") var role: String?
        @Option(help: "active, disabled, invited or expired.") var status: User.Status?
        @Option(help: "Show at most so many.") var limit = 100
        @Option(help: "Which page of so many, from 1.") var page = 1

        func validate() throws {
            guard (1...Limits.usersOfPageMax).contains(limit) else {
                throw ValidationError("--limit is 1 to \(Limits.usersOfPageMax); further users are on the next --page.")
            }
            guard (1...Limits.searchPageMax).contains(page) else { throw ValidationError("--page counts from 1.") }
        }

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withAccess { stores, access in
                let accounts = try await stores.users.search(try query(access))
                guard !options.json else { return Report.json(.array(accounts.map { json($0, access) })) }
                show(accounts.map(row))
            }
        }

        func show(_ rows: [[String]]) {
            guard !rows.isEmpty else { return print(nobody) }
            Report.table(header, rows)
            // On standard error: programs that read the table must not take this for a row.
            guard rows.count == limit else { return }
            Live.writeError("There may be more: say --page \(page + 1).\n")
        }

        private var nobody: String {
            if page > 1 { return "No more users." }
            let isEverybody = text == nil && tenant == nil && role == nil && status == nil
            return isEverybody
                ? "No users yet. Create one: keyturn user create NAME@EXAMPLE.COM" : "No user meets that."
        }

        private func query(_ access: AccessDirectory) throws -> UserQuery {
            var query = UserQuery()
            query.testUsers = .with
            query.text = text?.lowercased()
            query.limit = limit
            query.page = page - 1
            query.statuses = status.map { [$0] } ?? []
            if let tenant { query.tenants = [try TenantCommand.find(tenant, in: access).id] }
            guard let role else { return query }
            query.roles = access.roles.filter { $0.name == role }.map(\.id)
            guard !query.roles.isEmpty else { throw RoleCommand.unknown(role) }
            return query
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one user.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withAccess { stores, access in
                let account = try await find(user, in: stores)
                guard !options.json else { return Report.json(json(account, access)) }
                Report.table(header, [row(account)])
                Report.members(account.user.claims)
                Report.members(account.user.attributes, prefix: "attributes.")
                let roles = access.names(of: account.memberships.roles)
                if !roles.isEmpty { print("  roles: \(roles.joined(separator: ", "))") }
                for tenant in MembershipWriter(access: access).tenants(account.memberships).arrayValue ?? [] {
                    let roles = tenant["roles"]?.stringArrayValue?.joined(separator: ", ") ?? ""
                    print("  tenant \(tenant["id"]?.stringValue ?? ""): \(roles.isEmpty ? "no role" : roles)")
                }
            }
        }
    }
}
