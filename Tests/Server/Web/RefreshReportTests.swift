import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@testable import Web

@Suite("What is told of a refresh token that came back")
struct RefreshReportTests {
    private static let home = [("X-Forwarded-For", "192.0.2.1")]
    private static let elsewhere = [("X-Forwarded-For", "203.0.113.9")]

    private func refresh(
        _ server: TestServer, _ token: String?, from headers: [(String, String)] = home
    ) async throws -> EndpointAnswer {
        let form = TokenRequest.refreshToken(Secret(token ?? ""), scope: nil).parameters
        return try await server.post("/oauth2/token", form, as: TestClients.web, headers: headers)
    }

    private func successor(_ answer: EndpointAnswer) -> String? { answer.json["refresh_token"]?.stringValue }

    private func event(_ kind: AuditEvent.Kind, _ server: TestServer) async throws -> AuditEvent? {
        _ = try await server.services.auditLog.flush()
        return try await server.services.stores.audit.newest(limit: 100).first { $0.kind == kind }
    }

    @Test func `attack 45: a replay names user, session, client and address, and is counted`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let first = try await server.tokens(TestClients.web).refreshToken
        _ = try await refresh(server, successor(try await refresh(server, first)))
        server.clock.advance(61)
        #expect(try await refresh(server, first, from: Self.elsewhere).error == "invalid_grant")
        let told = try #require(try await event(.refreshReplayed, server))
        #expect(told.userID == TestServer.subject && told.clientID == TestClients.web.id)
        #expect(told.sessionID != nil && told.address == "203.0.113.9" && told.target != nil)
        let mails = try await server.services.messages.newest(limit: 10).map(\.message)
        #expect(mails.filter { $0.kind == .sessionEnded }.map(\.to) == [TestServer.username])
        let metrics = try await server.get("/metrics").body
        #expect(metrics.contains("keyturn_refresh_replayed_total 1\n"))
        #expect(metrics.contains("# TYPE keyturn_refresh_replayed_total counter\n"))
        await server.stop()
    }

    @Test func `a token that is newer than the database goes on, and is told`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let codec = RefreshTokenCodec(server.secrets)
        let first = try #require(codec.decode(Secret(try await server.tokens(TestClients.web).refreshToken ?? "")))
        // What a client holds after a failover that lost two refreshes.
        let newer = codec.encode(RefreshToken(grantID: first.grantID, counter: first.counter + 2))
        let next = try #require(codec.decode(Secret(successor(try await refresh(server, newer)) ?? "")))
        #expect(next.counter == first.counter + 3)
        let told = try #require(try await event(.refreshAhead, server))
        #expect(told.userID == TestServer.subject && told.target == first.grantID.text)
        #expect(try await server.get("/metrics").body.contains("keyturn_refresh_ahead_total 1\n"))
        #expect(try await event(.refreshReplayed, server) == nil)
        await server.stop()
    }

    @Test func `attack 47: a late repetition from another network is counted and shown to its user`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let first = try await server.tokens(TestClients.web).refreshToken
        let second = successor(try await refresh(server, first))
        server.clock.advance(61)
        #expect(successor(try await refresh(server, first, from: Self.elsewhere)) == second)
        #expect(try await event(.refreshRepeated, server)?.reason == "late_elsewhere")
        let signs = try await server.services.stores.grants.signsOfCopies(
            of: TestServer.subject, since: server.clock.now - 60, limit: 10)
        #expect(signs.map(\.kind) == [.usedElsewhere(count: 1)])
        #expect(try await server.get("/metrics").body.contains("keyturn_refresh_late_elsewhere_total 1\n"))
        // The same from home says nothing about a thief.
        let third = successor(try await refresh(server, second))
        _ = try await refresh(server, third)
        server.clock.advance(61)
        #expect(try await refresh(server, third).status == 200)
        #expect(try await event(.refreshRepeated, server)?.reason == "late")
        await server.stop()
    }

    @Test func `attack 50: a bound token without its key is told with its user and address`() async throws {
        let server = try await TestServer.start()
        let token = try await Prover(server).tokens(TestClients.tool).refreshToken
        #expect(try await Prover(server).refresh(token, TestClients.tool, nil).error == "invalid_grant")
        let told = try #require(try await event(.refreshWrongKey, server))
        #expect(told.userID == TestServer.subject && told.clientID == TestClients.tool.id)
        #expect(told.sessionID != nil && told.address == "127.0.0.1")
        #expect(try await server.get("/metrics").body.contains("keyturn_refresh_wrong_key_total 1\n"))
        await server.stop()
    }
}
