internal import ArgumentParser
private import Foundation
private import KeyturnBase
internal import Model

/// `keyturn journey`: the journeys of a configuration file; changes nothing.
struct JourneyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journey", abstract: "List and draw the journeys of a configuration file.",
        discussion: "A journey is a sign-in on the pages, written by the operator: see docs/journeys.md.",
        subcommands: [List.self, Draw.self])

    /// The journeys of a file, and the built-in one.
    ///
    /// - Throws: ``CommandFailure`` with exit code 2 for a file with mistakes.
    fileprivate static func journeys(_ path: String?) throws -> [Journey] {
        guard let path else { return [.standard] }
        do throws(ConfigurationProblems) {
            let environment = ProcessInfo.processInfo.environment
            return try ServerConfiguration.load(path: path, environment: environment).journeys + [.standard]
        } catch {
            throw CommandFailure(code: 2, sentence: "\(ProblemReport(file: path, problems: error.all).text)")
        }
    }
}

extension JourneyCommand {
    /// `keyturn journey list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Name every journey, with its clients.")

        @Option(name: .customLong("config"), help: "The configuration file.")
        var path: String?

        @Flag(help: "Print a JSON array.")
        var json = false

        func run() async throws {
            let journeys = try JourneyCommand.journeys(path)
            guard !json else { return print(JourneyOutline.json(journeys)) }
            for journey in journeys { print(JourneyOutline.line(journey)) }
        }
    }

    /// `keyturn journey draw`.
    struct Draw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "draw",
            abstract: "Draw a journey: as text, or as a picture (SVG).",
            discussion: """
                Example: keyturn journey draw checkout --config keyturn.yaml --svg > checkout.svg
                The built-in journey is called "standard" and needs no file.
                """)

        @Argument(help: "The journey's name.")
        var name: String

        @Option(name: .customLong("config"), help: "The configuration file.")
        var path: String?

        @Flag(help: "Print a picture for browsers.")
        var svg = false

        func run() async throws {
            let journeys = try JourneyCommand.journeys(path)
            guard let journey = journeys.first(where: { $0.name == name }) else {
                let names = journeys.map(\.name).joined(separator: ", ")
                throw CommandFailure(
                    code: 2, sentence: "there is no journey \"\(Printable.text(name))\": choose from \(names)")
            }
            print(svg ? JourneyPicture(journey).svg : JourneyOutline.text(journey))
        }
    }
}
