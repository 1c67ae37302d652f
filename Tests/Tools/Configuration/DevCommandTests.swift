import ArgumentParser
import Foundation
import KeyturnBase
import KeyturnVerify
import Testing

@testable import keyturn

@Suite("keyturn dev --time-travel")
struct DevCommandTests {
    @Test func `time stands still without the flag, and the help shows how to move it`() throws {
        #expect(try !DevCommand.parse([]).timeTravel)
        #expect(try DevCommand.parse(["--time-travel"]).timeTravel)
        let help = DevCommand.helpMessage(columns: 100)
        #expect(help.contains("  curl http://127.0.0.1:8080/dev/time -d '{\"advance\": \"3d\"}'\n"))
        #expect(help.contains("--time-travel") && help.contains("KeyturnTesting"))
        #expect(throws: (any Error).self) { try ServeCommand.parse(["--time-travel"]) }
    }

    @Test func `a database in a file is refused, with what to do`() throws {
        _ = try DevCommand.makeClock(.memory)
        let failure = try #require(throws: CommandFailure.self) { try DevCommand.makeClock(.file("keyturn.db")) }
        #expect(failure.code == 2 && failure.sentence.contains("leave --database away"))
    }

    /// The built program, as a script uses it.
    @Test func `the program's clock is moved from outside, and only with the flag`() async throws {
        for flags in [["--time-travel"], []] {
            let program = try Program(["dev", "--listen", "127.0.0.1:0", "--log-level", "error"] + flags)
            let issuer = try await program.issuer()
            let answer = try await post(issuer + "/dev/time", #"{"advance": "3d"}"#)
            #expect(answer.status == (flags.isEmpty ? 404 : 200))
            if !flags.isEmpty {
                let json = try JSONValue(parsing: answer.body)
                #expect(json["ahead_seconds"] == 259_200)
                let ahead = (json["now"]?.integerValue ?? 0) - Ambient.live.now().rawValue
                #expect((259_190...259_200).contains(ahead))
                let refused = try await post(issuer + "/dev/time", #"{"at": 0}"#)
                #expect(refused.status == 400)
            }
            #expect(program.stop() == 0)
        }
    }

    private func post(_ url: String, _ body: String) async throws -> HTTPResponse {
        try await URLSessionTransport().send(HTTPRequest(method: "POST", url: url, body: Array(body.utf8)))
    }
}

/// The built program beside the tests, and the line in which it says where it listens.
private final class Program {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("keyturn")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    func issuer() async throws -> String {
        let file = output.fileHandleForReading
        // A line of its own thread: reading blocks.
        let line = await Task.detached { String(decoding: file.availableData, as: UTF8.self) }.value
        return String(try #require(line.firstMatch(of: #/\(issuer ([^)]+)\)/#)).1)
    }

    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
