internal import ArgumentParser

/// `keyturn database`: a server's database as a whole.
struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Move a server's data to another database.", subcommands: [Copy.self])
}
