internal import ArgumentParser
internal import Identity
internal import KeyturnBase

extension UserCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a user.",
            discussion: "The password is read from standard input, or asked for on a terminal.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "Email address, phone number (with +) or user name; several are possible.")
        var loginIDs: [String]
        @Option(help: "What pages call the person.") var name: String?
        @Flag(help: "The email address and phone number were verified.") var verified = false
        @Flag(help: "Create without a password.") var noPassword = false

        func run() async throws {
            let identifiers = try loginIDs.map { loginID in
                guard let identifier = Identifier(loginID: loginID) else {
                    throw CommandFailure.refused("\(Printable.text(loginID)) cannot be a login ID.")
                }
                return identifier
            }
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
                ($0, verified || $0.kind == .username ? Account.Verification.verified : .unverified)
            }
            let account = Account(
                user: user, identifiers: Dictionary(states) { first, _ in first }, passwordHash: hash)
            try await options.withAccess { stores, access in
                try await stores.users.create(account)
                if options.json {
                    Report.json(UserCommand.json(account, access))
                } else {
                    print("created \(user.id.rawValue)")
                }
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
