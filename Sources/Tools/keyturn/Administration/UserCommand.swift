internal import ArgumentParser
internal import Foundation
internal import Identity
internal import KeyturnBase

/// `keyturn user`: the people who can sign in.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Create, list, change and delete users.",
        subcommands: [
            Create.self, List.self, Show.self, Password.self, Disable.self, Enable.self, EndSessions.self, Delete.self,
        ])

    /// Users by the page, as the store hands them out.
    fileprivate static let pageSize = 500

    fileprivate static func find(_ name: String, in stores: Stores) async throws -> Account {
        if let identifier = Identifier(loginID: name), let account = try await stores.users.account(identifier) {
            return account
        }
        guard let account = try await stores.users.account(UserID(rawValue: name)) else {
            throw CommandFailure.refused("there is no user \(name). `keyturn user list` shows them all.")
        }
        return account
    }

    fileprivate static func json(_ account: Account) -> JSONValue {
        let identifiers = account.identifiers.sorted { $0.key.value < $1.key.value }.map { identifier, verification in
            JSONValue.object([
                "kind": .string(identifier.kind.rawValue), "value": .string(identifier.value),
                "verified": .bool(verification == .verified),
            ])
        }
        return .object([
            "sub": .string(account.user.id.rawValue), "status": .string(account.user.status.rawValue),
            "claims": .object(account.user.claims), "identifiers": .array(identifiers),
            "has_password": .bool(account.passwordHash != nil),
            "created_at": .integer(account.user.createdAt.rawValue),
            "updated_at": .integer(account.user.updatedAt.rawValue),
        ])
    }

    fileprivate static func row(_ account: Account) -> [String] {
        let names = account.identifiers.keys.map(\.value).sorted().joined(separator: ", ")
        return [account.user.id.rawValue, account.user.status.rawValue, Report.text(account.user.createdAt), names]
    }

    fileprivate static let header = ["SUB", "STATUS", "CREATED", "LOGIN IDS"]
}

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
                    throw CommandFailure.refused("\(loginID) cannot be a login ID.")
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
            try await options.withStores { stores in try await stores.users.create(account) }
            if options.json { Report.json(json(account)) } else { print("created \(user.id.rawValue)") }
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

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List users in the order of their creation.")

        @OptionGroup var options: AdministrationOptions
        @Option(help: "Show at most so many.") var limit = 1_000

        func run() async throws {
            let accounts = try await options.withStores { stores -> [Account] in
                var accounts: [Account] = []
                while accounts.count < limit {
                    let page = try await stores.users.accounts(
                        after: accounts.last?.user.id, limit: min(pageSize, limit - accounts.count))
                    accounts += page
                    if page.isEmpty { break }
                }
                return accounts
            }
            guard !options.json else { return Report.json(.array(accounts.map(json))) }
            guard !accounts.isEmpty else {
                return print("No users yet. Create one: keyturn user create NAME@EXAMPLE.COM")
            }
            Report.table(header, accounts.map(row))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one user.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            let account = try await options.withStores { stores in try await find(user, in: stores) }
            guard !options.json else { return Report.json(json(account)) }
            Report.table(header, [row(account)])
            for (claim, value) in account.user.claims.sorted(by: { $0.key < $1.key }) {
                print("  \(claim): \(value.stringValue ?? String(decoding: value.serialized, as: UTF8.self))")
            }
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a user's password, and sign the user out everywhere.",
            discussion: "The password is read from standard input, or asked for on a terminal.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            let policy = try options.configuration().project.passwordPolicy.policy
            let password = try PasswordPrompt.read(confirm: true)
            try await options.withStores { stores -> Void in
                let account = try await find(user, in: stores)
                try PasswordPrompt.check(password, policy, Array(account.identifiers.keys))
                try await stores.users.changePassword(
                    of: account.user.id, to: try await PasswordPrompt.hash(password), at: Ambient.live.now())
            }
            print("the password is changed; every session has ended")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Keep a user out, and end every session.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            try await setStatus(.disabled, of: user, options)
            print("disabled; every session has ended")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a disabled user in again.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            try await setStatus(.active, of: user, options)
            print("enabled")
        }
    }

    struct EndSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-sessions", abstract: "End everything that a user's apps hold.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            let ended = try await options.withStores { stores in
                try await stores.grants.endAll(
                    of: try await find(user, in: stores).user.id, reason: .administrator, at: Ambient.live.now())
            }
            if options.json { Report.json(["ended": .integer(Int64(ended))]) } else { print("ended \(ended)") }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a user with everything that belongs to it.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            try await options.withStores { stores in
                _ = try await stores.users.delete(try await find(user, in: stores).user.id)
            }
            print("deleted")
        }
    }

    private static func setStatus(_ status: User.Status, of name: String, _ options: AdministrationOptions) async throws
    {
        try await options.withStores { stores -> Void in
            var account = try await find(name, in: stores)
            account.user.status = status
            try await stores.users.update(account, at: Ambient.live.now())
        }
    }
}
