internal import ArgumentParser
internal import Foundation

/// `keyturn`: the identity server, its administration, and the command line client.
@main
struct KeyturnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyturn",
        abstract: "Authentication, end to end: an identity server and a client in one program.",
        discussion: """
            New here? Run `keyturn dev`, open the address it prints, and sign in as the demo user.
            Exit codes: 0 done, 1 failed, 2 refused or wrong usage, 3 the service could not be reached.
            """,
        version: ProgramVersion.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Server:",
                subcommands: [
                    ServeCommand.self, DevCommand.self, ConfigCommand.self, JourneyCommand.self,
                    BrowserClientCommand.self, TopCommand.self,
                ]),
            CommandGroup(
                name: "Administration:",
                subcommands: [
                    UserCommand.self, OperatorCommand.self, TenantCommand.self, SCIMCommand.self, RoleCommand.self,
                    ConnectionCommand.self,
                    ClientCommand.self, KeyCommand.self, MessageCommand.self, AuditCommand.self, MigrateCommand.self,
                    BackupCommand.self, RestoreCommand.self, ExportCommand.self, ImportCommand.self,
                    DatabaseCommand.self,
                ]),
            CommandGroup(
                name: "Client:",
                subcommands: [
                    LoginCommand.self, TokenCommand.self, WhoamiCommand.self, SessionsCommand.self, LockCommand.self,
                    UnlockCommand.self, LogoutCommand.self, VerifyCommand.self,
                ]),
        ])

    /// Parses, runs, and ends with one of the documented exit codes.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            FileHandle.standardError.write(Data("keyturn: \(failure.sentence)\n".utf8))
            Self.exit(withError: ExitCode(failure.code))
        } catch {
            // The parser's own code for wrong usage is 64; ours is 2.
            guard exitCode(for: error) == .validationFailure else { Self.exit(withError: error) }
            let slip = MistypedCommand.sentence(
                ProcessInfo.processInfo.arguments.dropFirst(), root: KeyturnCommand.self)
            FileHandle.standardError.write(Data(((slip ?? fullMessage(for: error)) + "\n").utf8))
            Self.exit(withError: ExitCode(2))
        }
    }
}

/// Why a command failed, in a sentence that says what to do, and the exit code that scripts see.
struct CommandFailure: Error {
    let code: Int32
    let sentence: String

    /// Something did not work.
    static func failed(_ sentence: String) -> CommandFailure { CommandFailure(code: 1, sentence: sentence) }
    /// What was asked for is refused, or makes no sense.
    static func refused(_ sentence: String) -> CommandFailure { CommandFailure(code: 2, sentence: sentence) }
    /// The service could not be reached.
    static func unreachable(_ sentence: String) -> CommandFailure { CommandFailure(code: 3, sentence: sentence) }
}
