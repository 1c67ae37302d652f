import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Configuration: who reads the outbox")
struct OutboxWarningTests {
    @Test func `an outbox that others can reach is refused, and warned of in development`() throws {
        let outbox = "delivery: { outbox: true }"
        for text in ["issuer: https://id.example.com\n\(outbox)", "issuer: auto\nlisten: 0.0.0.0:80\n\(outbox)"] {
            for (trial, severity) in [("", ConfigurationProblem.Severity.mistake), ("\ndev: true", .warning)] {
                let problem = try #require(Sample.problems(text + trial).first { $0.path == "delivery.outbox" })
                #expect(problem.severity == severity)
                #expect(problem.detail.contains("ANYBODY") && problem.detail.contains("/dev/outbox"))
            }
        }
        for text in [
            outbox, "issuer: auto\n\(outbox)", "issuer: http://127.0.0.1:8080\n\(outbox)",
            "issuer: http://localhost:8080\n\(outbox)", "issuer: https://id.example.com\ndelivery: { outbox: false }",
            "issuer: https://id.example.com",
        ] {
            #expect(!Sample.problems(text).contains { $0.path == "delivery.outbox" }, "\(text)")
        }
        let checked = ConfigCommand.Check.check(
            path: try Self.file("issuer: https://id.example.com\n\(outbox)"), environment: [:], json: false)
        #expect(!checked.isAccepted && checked.output.contains("ANYBODY"))
    }

    private static func file(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-\(Ambient.live.randomToken(byteCount: 8)).yaml")
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
