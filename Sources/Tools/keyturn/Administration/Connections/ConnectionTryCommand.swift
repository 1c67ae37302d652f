internal import Account
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import LDAP
internal import Model
internal import SignIn

extension ConnectionCommand {
    /// `keyturn connection try`: what a provider says about a user, without a sign-in.
    struct Try: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "try", abstract: "Try a connection: what its provider says, and what would come of it.",
            discussion: """
                Prints an address to open in a browser, and waits for its result. A directory is asked at once, with \
                --user and --password-file. No user, no session and no link is made. Exit status 2: it failed.
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "Its identifier.") var id: String
        @Option(help: "A directory's user, as they sign in.") var user: String?
        @Option(help: ArgumentHelp("A file with the user's password; - reads standard input.", valueName: "file"))
        var passwordFile: String?

        func run() async throws {
            let configuration = try options.configuration()
            let report = try await options.withAccess { stores, access in
                let context = try await Context(configuration, access, stores.connections, stores)
                let connection: Connection
                do throws(ConnectionRefusal) {
                    connection = try context.editor.find(id)
                } catch {
                    throw words(error)
                }
                let trials = context.trials(stores, access)
                if case .ldap = connection.settings { return try await ask(connection, trials) }
                let begun = trials.begin(at: connection)
                let address = "\(context.issuer)/federation/\(id)/try?ticket=\(begun.ticket)"
                FileHandle.standardError.write(Data("open in a browser: \(address)\n".utf8))
                return try await wait(for: begun.handle, trials)
            }
            if options.json { Report.json(report) } else { print(Self.text(report)) }
            if report["outcome"] != "vouched" { throw ExitCode(2) }
        }

        private func ask(_ connection: Connection, _ trials: ConnectionTrials) async throws -> JSONValue {
            guard let user, let passwordFile else {
                throw CommandFailure.refused("a directory needs --user and --password-file.")
            }
            let password = Secret(try ConnectionOptions.read(passwordFile).trimmingCharacters(in: .newlines))
            let profile: FederatedProfile
            do throws(ConnectionProblem) {
                profile = try await DirectoryPasswords.tried(
                    user, password, at: connection, LDAPDirectory(ambient: .live))
            } catch {
                return ConnectionTrials.report(error, at: connection)
            }
            return try await trials.report(profile, at: connection)
        }

        private func wait(for handle: String, _ trials: ConnectionTrials) async throws -> JSONValue {
            for _ in 0..<Limits.federationSeconds {
                if let report = try await trials.result(handle) { return report }
                try await Task.sleep(for: .seconds(1))
            }
            throw CommandFailure.refused("the browser did not come back in time: try again.")
        }

        /// The report for people: a line for each member.
        private static func text(_ report: JSONValue) -> String {
            (report.objectValue ?? [:]).sorted { $0.key < $1.key }.map { name, value in
                let text = value.stringValue ?? String(decoding: value.serialized, as: UTF8.self)
                return "\(name): \(Printable.text(text))"
            }.joined(separator: "\n")
        }
    }
}
