internal import ArgumentParser
private import Foundation

/// `keyturn config`: looks at configuration files; changes nothing.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a configuration file, or print one to begin with, or the texts.",
        subcommands: [Check.self, Example.self, TextList.self])
}

extension ConfigCommand {
    /// `keyturn config check`: exit code 0 if the file is accepted, 2 if it has mistakes.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Report every mistake of a configuration file, with its line.",
            discussion: "Environment variables that override keys are taken into account, as the server would.")

        @Option(name: .customLong("config"), help: "The file to check.")
        var path: String

        @Flag(help: "Print the result as one JSON object.")
        var json = false

        func run() async throws {
            let result = Self.check(path: path, environment: ProcessInfo.processInfo.environment, json: json)
            print(result.output)
            if !result.isAccepted { throw ExitCode(2) }
        }

        /// What is printed, and whether the server would start.
        static func check(
            path: String, environment: [String: String], json: Bool
        ) -> (output: String, isAccepted: Bool) {
            let problems: [ConfigurationProblem]
            var project: String?
            var connections = ""
            do throws(ConfigurationProblems) {
                let configuration = try ServerConfiguration.load(path: path, environment: environment)
                problems = configuration.warnings
                project = ProjectID.summary(configuration)
                connections = ConnectionSummary.text(configuration)
            } catch {
                problems = error.all
            }
            let report = ProblemReport(file: path, problems: problems)
            let mistakes = problems.count { $0.severity == .mistake }
            guard !json else { return (report.json, mistakes == 0) }
            let note = (project.map { "\nproject.id: \($0)" } ?? "") + connections
            let verdict =
                switch mistakes {
                case 0: "\(path): no mistakes."
                case 1: "\(path): 1 mistake."
                case ConfigurationLimits.problemsMax...: "\(path): \(mistakes) mistakes or more."
                default: "\(path): \(mistakes) mistakes."
                }
            return ((problems.isEmpty ? verdict : "\(report.text)\n\(verdict)") + note, mistakes == 0)
        }
    }

    /// `keyturn config example`: a commented file that is accepted as it stands.
    struct Example: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Print a commented configuration to begin with.")

        func run() async throws {
            print(StarterFile.text)
        }
    }
}
