internal import ArgumentParser
internal import Foundation
internal import Logging

/// `keyturn serve`: the identity server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the identity server.",
        discussion: """
            Without a configuration file it keeps its data in keyturn.db in this folder and knows no clients yet; \
            `keyturn config example` prints a file to begin with. Options override the file, and so do environment \
            variables that begin with KEYTURN_. SIGTERM finishes what is in flight and stops.

            Under systemd it says when it is ready (Type=notify), answers the watchdog (WatchdogSec=), and listens on \
            the sockets of a socket unit in place of its own.
            """)

    @OptionGroup var options: ServerOptions

    func run() async throws {
        let manager = try ServiceManager.attach()
        let configuration = try options.configuration()
        try await ServerRunner.run(
            configuration, demonstration: nil, manager: manager, logger: try options.logger())
    }
}

/// What `serve` and `dev` have in common.
struct ServerOptions: ParsableArguments {
    @Option(help: "The configuration file, in YAML or JSON.")
    var config: String?

    @Option(help: ArgumentHelp("Where to listen. Port 0 picks a free one.", valueName: "host:port"))
    var listen: String?

    @Option(help: ArgumentHelp("Where the data is: sqlite:FILE, sqlite::memory: or postgres://…", valueName: "url"))
    var database: String?

    @Option(help: ArgumentHelp("trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel: String = "info"

    /// The file and the environment, with these options on top. Prints warnings; throws every mistake at once.
    ///
    /// - Parameter isDevelopment: whether it is read as with `dev: true`.
    func configuration(isDevelopment: Bool = false) throws -> ServerConfiguration {
        var configuration: ServerConfiguration
        var environment = ProcessInfo.processInfo.environment
        if isDevelopment { environment["KEYTURN_DEV"] = "true" }
        do {
            configuration = try ServerConfiguration.load(path: config, environment: environment)
        } catch {
            throw CommandFailure.refused("the configuration has mistakes:\n\(ProblemReport(error).text)")
        }
        if !configuration.warnings.isEmpty {
            let report = ProblemReport(file: config ?? "environment", problems: configuration.warnings)
            FileHandle.standardError.write(Data((report.text + "\n").utf8))
        }
        do {
            if let listen { configuration.listen = try ListenAddress(listen) }
        } catch {
            throw CommandFailure.refused("--listen \(listen ?? ""): \(error)")
        }
        do {
            if let database { configuration.database = try DatabaseLocation(database) }
        } catch {
            throw CommandFailure.refused("--database: \(error)")
        }
        return configuration
    }

    /// Logs go to standard error; standard output is for the one line that says where the server listens.
    func logger() throws -> Logger {
        guard let level = Logger.Level(rawValue: logLevel.lowercased()) else {
            throw CommandFailure.refused("--log-level takes trace, debug, info, notice, warning, error or critical.")
        }
        var logger = Logger(label: "keyturn") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}
