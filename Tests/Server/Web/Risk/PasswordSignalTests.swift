import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// What the check of a password finds, on pages and in the methods.
@Suite("Signals of passwords")
struct PasswordSignalTests {
    private static let cautious = Journey(
        name: "cautious",
        steps: [
            JourneyStep("first", .prove(JourneyProof()), next: "second"),
            JourneyStep("second", .stepUp(JourneyProof([.totp])), when: .risk([.breachedPassword]), next: "end"),
            JourneyStep("end", .done),
        ])

    /// A server on whose list the user's password is.
    private func start() async throws -> TestServer {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("\(TestServer.password)\n".utf8).write(to: file)
        let list = try BreachedPasswords(path: file.path)
        return try await TestServer.start(project: {
            Project(id: "test", name: "Test", issuer: $0, breachedPasswords: list, journeys: [Self.cautious])
        })
    }

    @Test func `a breached password is known to a journey, the session and the audit log`() async throws {
        let server = try await start()
        let browser = server.browser()
        try await server.enter(browser)
        #expect(try await server.newestSignIn() == ["pwd", "breached_password new_device"])
        let owner = try #require(
            try await server.services.signIn.owner(of: browser.cookieJar["keyturn-session"].map(Secret.init)))
        #expect(owner.session.origin.signals == [.breachedPassword, .newDevice])
        let asked = try await server.enter(browser) { $0.extra.append("journey", "cautious") }
        #expect(asked.page == "totp-setup")
        await server.stop()
    }

    @Test func `the methods record a breached password, and wrong ones before the right one`() async throws {
        let server = try await start()
        let login: JSONValue = [
            "loginId": .string(TestServer.username), "password": .string(TestServer.password),
        ]
        #expect(try await server.call("password/signin", login).status == 200)
        #expect(try await server.newestSignIn() == ["pwd", "breached_password new_device"])
        for _ in 0..<Limits.riskFailuresMin {
            _ = try await server.call(
                "password/signin", ["loginId": .string(TestServer.username), "password": "wrong"])
        }
        #expect(try await server.call("password/signin", login).status == 200)
        #expect(try await server.newestSignIn() == ["pwd", "breached_password too_many_failures"])
        await server.stop()
    }
}
