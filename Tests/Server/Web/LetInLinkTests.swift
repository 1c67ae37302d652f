import Authority
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("A session that a numbered link lets in, wherever it was opened")
struct LetInLinkTests {
    private static let new = "bea@example.com"

    /// What the client gets that waits, once the right link was opened.
    private func collected(_ server: TestServer, _ path: String, _ name: String) async throws -> EndpointAnswer {
        let started = try await server.call("enchantedlink/\(path)/email", ["loginId": .string(name)])
        let message = try await server.message(to: name)
        let numbers = message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init) ?? []
        let right = try #require(numbers.firstIndex { $0 == started.json["linkId"]?.stringValue })
        let token = try #require(message.links[right].split(separator: "t=").last)
        #expect(try await server.call("enchantedlink/verify", ["token": .string(String(token))]).status == 200)
        return try await server.call(
            "enchantedlink/pending-session", ["pendingRef": started.json["pendingRef"] ?? .null])
    }

    private func newPassword(_ server: TestServer, _ name: String, _ session: EndpointAnswer) async throws
        -> EndpointAnswer
    {
        try await server.call(
            "password/update", ["loginId": .string(name), "newPassword": "another-horse-battery"],
            refresh: session.refreshJWT)
    }

    private func missing(_ answer: EndpointAnswer) -> String? { answer.json["missing"]?.stringValue }

    @Test(arguments: ["signin", "signup-in"])
    func `it is as an approved one, and its user changes nothing in it about the sign-in`(path: String) async throws {
        let server = try await TestServer.start()
        let session = try await collected(server, path, TestServer.username)
        #expect(session.status == 200 && session.methods == ["email", "approval"])
        let refused = try await newPassword(server, TestServer.username, session)
        #expect(refused.status == 403 && missing(refused) == "recent_sign_in")
        #expect(try await server.call("refresh", [:], refresh: session.refreshJWT).status == 200)
        let own = try await server.signInByCode(TestServer.username)
        #expect(try await newPassword(server, TestServer.username, own).status == 200, "the control")
        await server.stop()
    }

    @Test func `old sessions that may change the sign-in are no others, as with approvals`() async throws {
        let policy = AuthorityPolicy(oldSessionsChangeSignIn: true)
        let server = try await TestServer.start(
            project: { Project(id: "test", name: "Test", issuer: $0, authority: policy) })
        let session = try await collected(server, "signin", TestServer.username)
        #expect(missing(try await newPassword(server, TestServer.username, session)) == "recent_sign_in")
        await server.stop()
    }

    @Test(arguments: ["signup", "signup-in"])
    func `the first session of an account that the link made is its user's own`(path: String) async throws {
        let server = try await TestServer.start()
        let session = try await collected(server, path, Self.new)
        #expect(session.status == 200 && session.methods == ["email"])
        #expect(try await newPassword(server, Self.new, session).status == 200)
        await server.stop()
    }

    @Test func `a session of the same mailbox that it raises is as an approved one, too`() async throws {
        let server = try await TestServer.start()
        let old = try await server.signInByCode(TestServer.username)
        server.clock.advance(60)
        let body: JSONValue = ["loginId": .string(TestServer.username), "loginOptions": ["stepup": true]]
        let started = try await server.call("enchantedlink/signin/email", body, refresh: old.refreshJWT)
        let message = try await server.message(to: TestServer.username)
        let numbers = message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init) ?? []
        let right = try #require(numbers.firstIndex { $0 == started.json["linkId"]?.stringValue })
        let token = try #require(message.links[right].split(separator: "t=").last)
        _ = try await server.call("enchantedlink/verify", ["token": .string(String(token))])
        let raised = try await server.call(
            "enchantedlink/pending-session", ["pendingRef": started.json["pendingRef"] ?? .null],
            refresh: old.refreshJWT)
        #expect(raised.status == 200)
        #expect(missing(try await newPassword(server, TestServer.username, raised)) == "recent_sign_in")
        await server.stop()
    }
}
