import ArgumentParser
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Configuration: reports and commands")
struct ReportTests {
    private let problems = Sample.problems(
        Sample.client("redirect_uri: x", "grant_types: [ refresh_tokens ]"), environment: ["KEYTURN_DEV": "maybe"])

    @Test func `a report has one line per problem, with its place, its key and a remedy`() {
        let lines = ProblemReport(file: "keyturn.yaml", problems: problems).text.split(separator: "\n")
        #expect(
            lines == [
                "KEYTURN_DEV: dev: expected true or false, found text. Write true or false, without quotes.",
                "keyturn.yaml:3:5: clients[0].redirect_uri: unknown key. Did you mean \"redirect_uris\"?",
                "keyturn.yaml:4:20: warning: clients[0].grant_types[0]: this release does not know the grant type."
                    + " Did you mean \"refresh_token\"?",
            ])
    }

    @Test func `a report in JSON can be read by programs`() throws {
        let report = try JSONValue(parsing: ProblemReport(file: "keyturn.yaml", problems: problems).json.utf8)
        #expect(report["valid"] == false)
        #expect(report["file"] == "keyturn.yaml")
        let mistakes = try #require(report["mistakes"]?.arrayValue)
        #expect(mistakes.map { $0["variable"] ?? $0["line"] } == ["KEYTURN_DEV", 3])
        #expect(mistakes[1]["column"] == 5)
        #expect(mistakes[1]["path"] == "clients[0].redirect_uri")
        #expect(mistakes[1]["remedy"] == "Did you mean \"redirect_uris\"?")
        #expect(report["warnings"]?.arrayValue?.count == 1)
    }

    @Test func `a key cannot steer the terminal that shows it`() {
        let text = ProblemReport(file: "f", problems: Sample.problems("\"\\e[2Jx\": 1")).text
        #expect(!text.contains("\u{1B}"))
    }

    @Test func `the check tells what is wrong, and whether the server would start`() throws {
        try Sample.withFile("refused", contents: Array("isuer: auto\n".utf8)) { path in
            let result = ConfigCommand.Check.check(path: path, environment: [:], json: false)
            #expect(result.output == "\(path):1:1: isuer: unknown key. Did you mean \"issuer\"?\n\(path): 1 mistake.")
            #expect(!result.isAccepted)
        }
        try Sample.withFile("accepted", contents: Array(StarterFile.text.utf8)) { path in
            let result = ConfigCommand.Check.check(path: path, environment: [:], json: false)
            #expect(
                result.output
                    == "\(path): no mistakes.\nproject.id: made at the first start, and kept in keyturn.db")
            #expect(result.isAccepted)
            #expect(!ConfigCommand.Check.check(path: path, environment: ["KEYTURN_DEV": "x"], json: true).isAccepted)
        }
    }

    @Test func `the commands take the arguments that are documented`() throws {
        let check = try #require(
            try ConfigCommand.parseAsRoot(["check", "--config", "f", "--json"]) as? ConfigCommand.Check)
        #expect(check.path == "f")
        #expect(check.json)
        #expect(try ConfigCommand.parseAsRoot(["example"]) is ConfigCommand.Example)
    }

    @Test func `a check of a file with mistakes ends with exit code 2`() async throws {
        let command = try ConfigCommand.parseAsRoot(["check", "--config", "/nonexistent/keyturn.yaml"])
        let failure = await #expect(throws: ExitCode.self) {
            if var check = command as? any AsyncParsableCommand { try await check.run() }
        }
        #expect(failure?.rawValue == 2)
    }
}
