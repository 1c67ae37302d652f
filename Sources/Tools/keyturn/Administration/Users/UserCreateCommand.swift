internal import ArgumentParser
internal import Authority
internal import KeyturnBase
internal import Model

extension UserCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a user.",
            discussion: "The password is read from standard input, or asked for on a terminal.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(
            help: ArgumentHelp(
                "Email address, phone number (with +) or user name; several are possible.", valueName: "login-ids"))
        var loginIDs: [String]
        @Option(help: "What pages call the person.") var name: String?
        @Flag(help: "The email address and phone number were verified.") var verified = false
        @Flag(help: "Create without a password.") var noPassword = false

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let identifiers = try identifiers()
            let configuration = try options.configuration()
            var hash: String?
            if !noPassword {
                let password = try PasswordPrompt.read(confirm: true)
                try PasswordPrompt.check(password, configuration.project.passwordPolicy.policy, identifiers)
                hash = try await PasswordPrompt.hash(password)
            }
            let now = Ambient.live.now()
            let user = User(id: .make(.live), claims: claims(identifiers), createdAt: now, updatedAt: now)
            let states = identifiers.map {
                ($0, verified || $0.kind == .username ? Account.IdentifierState.verified : .unverified)
            }
            let account = Account(
                user: user, identifiers: Dictionary(states) { first, _ in first }, passwordHash: hash)
            try await options.withChanges { changes in
                try await Self.refuseDuplicates(of: identifiers, in: changes.stores)
                try await changes.recording(
                    .userCreated, user: user.id, note: changes.note(from: nil, to: account)
                ).users.create(
                    account, by: try AuditedDatabase.permit(Acts.CreateAccount.self, on: .newUser))
                if options.json {
                    Report.json(UserCommand.json(account, changes.access))
                } else {
                    print("created \(user.id.rawValue)")
                }
            }
        }

        func identifiers() throws -> [Identifier] {
            try loginIDs.map { loginID in
                guard let identifier = Identifier(loginID: loginID) else {
                    throw CommandFailure.refused("\(Printable.text(loginID)) cannot be a login ID.")
                }
                try identifier.requireNoFlaw()
                return identifier
            }
        }

        /// Says which login ID is taken, and by whom. The store refuses what comes in between.
        private static func refuseDuplicates(of identifiers: [Identifier], in stores: Stores) async throws {
            for identifier in identifiers {
                guard let present = try await stores.users.account(identifier) else { continue }
                throw CommandFailure.refused(
                    "there is a user \(Printable.text(identifier.value)) already: \(present.user.id.rawValue) "
                        + "(\(present.user.status.rawValue)). `keyturn user show` shows it.")
            }
        }

        private func claims(_ identifiers: [Identifier]) -> [String: JSONValue] {
            var claims: [String: JSONValue] = [:]
            if let name { claims["name"] = .string(name) }
            for identifier in identifiers {
                switch identifier.kind {
                case .email:
                    claims["email"] = .string(identifier.value)
                    claims["email_verified"] = .bool(verified)
                case .phone:
                    claims["phone_number"] = .string(identifier.value)
                    claims["phone_number_verified"] = .bool(verified)
                case .username:
                    claims["preferred_username"] = .string(identifier.value)
                }
            }
            return claims
        }
    }
}
