internal import Authority
internal import Account
internal import ArgumentParser
internal import KeyturnBase
internal import Model

extension ConnectionCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a connection, and say what to enter at the provider.",
            discussion: "keyturn connection add google --preset google --client-id ID --client-secret-file FILE")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup var settings: ConnectionOptions
        @Argument(help: "Its identifier: small letters, digits, hyphens. It is part of the redirect URI.") var id:
            String
        @Option(help: "The tenant that it belongs to. Default: the whole project.") var tenant: String?
        @Flag(help: "It is not offered yet.") var disabled = false

        func run() async throws {
            var members = try settings.members()
            members["id"] = .string(id)
            members["tenant"] = tenant.map(JSONValue.string)
            if disabled { members["enabled"] = false }
            let given = members
            try await change(id, .connectionChanged, tenant: tenant, options, word: "added") { editor in
                try await editor.add(given, by: Operator.actor)
            }
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change",
            abstract: "Change settings of a connection; what is not named stays.",
            discussion: "A list, such as --scope, replaces the whole list. --unset sets one back to its default.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup var settings: ConnectionOptions
        @Argument(help: "Its identifier.") var id: String
        @Option(help: ArgumentHelp("A setting by its key, such as client_secret; may be repeated.", valueName: "key"))
        var unset: [String] = []

        func run() async throws {
            var members = try settings.members()
            for key in unset { members[key] = .null }
            guard !members.isEmpty else { throw CommandFailure.refused("name what should change.") }
            let given = members
            try await change(id, .connectionChanged, options, word: "changed") { editor in
                try await editor.change(id, given, by: Operator.actor)
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Offer a connection again.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "Its identifier.") var id: String

        func run() async throws {
            try await change(id, .connectionChanged, options, word: "enabled") { editor in
                try await editor.change(id, ["enabled": true], by: Operator.actor)
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Offer a connection no longer; its settings stay.",
            discussion: "Nobody signs in with it. Sessions that began with it go on.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "Its identifier.") var id: String

        func run() async throws {
            try await change(id, .connectionChanged, options, word: "disabled") { editor in
                try await editor.change(id, ["enabled": false], by: Operator.actor)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a connection.",
            discussion: """
                Its users' identities and the roles that it gave end with it; the users stay, and sign in another way. To \
                keep them, run `keyturn connection disable` instead.
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "Its identifier.") var id: String

        func run() async throws {
            try await change(id, .connectionRemoved, options, word: "removed") { editor in
                try await editor.remove(id, by: Operator.actor)
                return nil
            }
        }
    }
}
