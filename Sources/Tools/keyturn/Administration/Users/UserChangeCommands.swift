internal import ArgumentParser
internal import Authority
internal import KeyturnBase
internal import Model
internal import SignIn

extension UserCommand {
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password",
            abstract: "Set a user's password, and sign the user out everywhere.",
            discussion: "The password is read from standard input, or asked for on a terminal.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let project = try options.configuration().project
            let password = try PasswordPrompt.read(confirm: true)
            try await options.withChanges { changes -> Void in
                let account = try await find(user, in: changes.stores)
                try PasswordPrompt.check(password, project.passwordPolicy.policy, Array(account.identifiers.keys))
                let change = PasswordChange(
                    hash: try await PasswordPrompt.hash(password), origin: .strong,
                    historyMax: project.methods.passwords.reuseMax)
                _ = try await changes.recording(.passwordChanged, user: account.user.id).passwords.set(
                    change, by: try AuditedDatabase.permit(Acts.SetPassword.self, on: account.subject),
                    at: Ambient.live.now())
            }
            print("the password is changed; every session has ended")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Keep a user out, and end every session.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await setStatus(.disabled, of: user, options)
            print("disabled; every session has ended")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Let a disabled user in again.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await setStatus(.active, of: user, options)
            print("enabled")
        }
    }

    struct EndSessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-sessions", abstract: "End everything that a user's apps hold.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let ended = try await options.withChanges { changes in
                let id = try await find(user, in: changes.stores).user.id
                return try await changes.recording(.userLoggedOut, user: id).grants
                    .endEverything(of: id, reason: .administrator, at: Ambient.live.now())
            }
            if options.json { Report.json(["ended": .integer(Int64(ended))]) } else { print("ended \(ended)") }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a user with everything that belongs to it.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "A login ID, or the sub.") var user: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withChanges { changes in
                let account = try await find(user, in: changes.stores)
                _ = try await changes.recording(.userDeleted, user: account.user.id).users.delete(
                    by: try AuditedDatabase.permit(Acts.DeleteAccount.self, on: account.subject),
                    at: Ambient.live.now())
            }
            print("deleted")
        }
    }

    private static func setStatus(_ status: User.Status, of name: String, _ options: AdministrationOptions) async throws
    {
        try await options.withChanges { changes -> Void in
            let account = try await find(name, in: changes.stores)
            let note = changes.note
            let stores = changes.recording(
                .userStatusChanged, user: account.user.id, reason: status.rawValue, note: note)
            let noted = note.noting { (account: inout Account) in account.user.status = status }
            _ = try await stores.users.change(
                by: try AuditedDatabase.permitChange(of: account), at: Ambient.live.now(), noted)
        }
    }
}
