internal import Authority
internal import ArgumentParser
internal import KeyturnBase
internal import Model

/// `keyturn operator`: who may open the console at `/admin`.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Say who may open the console, and what they may do there.",
        discussion: """
            The console is at /admin of the server. An operator is a user with a role: viewer, support, operator or \
            owner, each of which may do what the ones before it may. The first owner is made here; owners make the \
            others in the console. Operators sign in with a second factor or a passkey; those who have none set one up \
            at their first sign-in there.
            """,
        subcommands: [Grant.self, List.self, Remove.self])

    fileprivate static func json(_ entry: ConsoleOperator, _ account: Account?) -> JSONValue {
        [
            "sub": .string(entry.userID.rawValue), "role": .string(entry.role.rawValue),
            "login_ids": .array(names(account).map(JSONValue.string)),
            "has_second_factor": .bool(account?.hasStrongFactor ?? false),
            "since": .integer(entry.since.rawValue), "granted_by": .string(entry.grantedBy),
        ]
    }

    fileprivate static func names(_ account: Account?) -> [String] {
        account?.identifiers.keys.map(\.value).sorted() ?? []
    }

    static func unknown(_ name: String) -> CommandFailure {
        .refused("\(Printable.text(name)) is no operator. `keyturn operator list` shows them all.")
    }

    static let credentialsRemoved =
        "Others had set up a way to sign in: all were removed. The user proves the address, and sets up new ones."
    static let unknownAddress = CommandFailure.refused(
        "others have set up a way to sign in to this account. Name the user by the address that you know.")

    /// One change with its audit event, in one transaction.
    ///
    /// - Returns: `unchanged` if nothing changed.
    fileprivate static func set(
        _ role: ConsoleRole?, of account: Account, named name: String = "", _ changes: AuditedDatabase
    ) async throws -> ConsoleRoleChange {
        let id = account.user.id
        let former = try await changes.stores.consoleOperators.role(of: id)
        guard former != role else { return .unchanged }
        let stores = changes.recording(
            role == nil ? .operatorRemoved : .operatorGranted, user: id, reason: (role ?? former)?.rawValue,
            note: changes.note(from: former, to: role))
        guard let role else {
            return try await stores.consoleOperators.take(
                by: try AuditedDatabase.permit(Acts.TakeConsoleRole.self, on: account.subject), keepingOwner: false)
        }
        do {
            return try await stores.consoleOperators.give(
                role, by: try AuditedDatabase.permit(Acts.GiveConsoleRole.self, on: account.subject),
                named: Operator.actor.name, knownBy: Identifier(loginID: name), keepingOwner: false,
                at: Ambient.live.now())
        } catch {
            guard error.cause is UnknownAddress else { throw error }
            throw unknownAddress
        }
    }
}

extension OperatorCommand {
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant", abstract: "Give a user a role in the console, or another one.",
            discussion: "keyturn operator grant maria@example.com --role owner")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID or an identifier of the user.") var user: String
        @Option(help: "viewer, support, operator or owner.") var role: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            guard let role = ConsoleRole(rawValue: role) else {
                throw CommandFailure.refused("--role takes viewer, support, operator or owner.")
            }
            try await options.withChanges { changes in
                let account = try await UserCommand.find(user, in: changes.stores)
                guard account.user.status == .active, !account.user.isTest else {
                    throw CommandFailure.refused("only an active user who is no test user can be an operator.")
                }
                guard account.unprovedAddresses.isEmpty else {
                    let names = account.unprovedAddresses.map(\.value).sorted().map(Printable.text)
                    throw CommandFailure.refused(
                        "the account has an address that was not proved (\(names.joined(separator: ", "))): it may be "
                            + "another person's. Verify it, or remove it, first.")
                }
                let change = try await set(role, of: account, named: user, changes)
                guard !options.json else {
                    let entries = try await changes.stores.consoleOperators.all(limit: Limits.operatorsMax)
                    guard let entry = entries.first(where: { $0.userID == account.user.id }) else { return }
                    return Report.json(json(entry, account))
                }
                let name = Printable.text(account.identifiers.keys.map(\.value).min() ?? account.user.id.rawValue)
                print("\(name) is \(role.rawValue) \(change == .unchanged ? "already" : "now")")
                if case .changed(_, isVoided: true) = change { print(OperatorCommand.credentialsRemoved) }
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the operators.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withStores { stores in
                var rows: [(entry: ConsoleOperator, account: Account?)] = []
                for entry in try await stores.consoleOperators.all(limit: Limits.operatorsMax) {
                    rows.append((entry, try await stores.users.account(entry.userID)))
                }
                guard !options.json else { return Report.json(.array(rows.map { json($0.entry, $0.account) })) }
                show(
                    rows.map { entry, account in
                        [
                            entry.userID.rawValue, entry.role.rawValue,
                            account?.hasStrongFactor == true ? "yes" : "at the next sign-in",
                            Report.text(entry.since), names(account).joined(separator: ", "),
                        ]
                    })
            }
        }

        func show(_ rows: [[String]]) {
            guard !rows.isEmpty else {
                return print("No operators yet. Make one: keyturn operator grant USER --role owner")
            }
            Report.table(["SUB", "ROLE", "SECOND FACTOR", "SINCE", "LOGIN IDS"], rows)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a user's role in the console away. The account stays.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID or an identifier of the user.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withChanges { changes in
                let account = try await UserCommand.find(user, in: changes.stores)
                guard try await set(nil, of: account, changes) != .unchanged else {
                    throw OperatorCommand.unknown(user)
                }
            }
            if options.json { Report.json(["removed": .string(user)]) } else { print("removed") }
        }
    }
}
