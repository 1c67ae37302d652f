import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Refresh tokens that come back: retries, tabs, thieves")
struct RefreshAttackTests {
    @Test func `attack 45: an older token later than a minute ends the session`() async throws {
        let server = try await TestServer.start()
        let first = try await server.tokens(TestClients.web).refreshToken
        let second = try await server.refresh(first, TestClients.web).json["refresh_token"]?.stringValue
        let third = try await server.refresh(second, TestClients.web).json["refresh_token"]?.stringValue
        server.clock.advance(61)
        #expect(try await server.refresh(first, TestClients.web).error == "invalid_grant")
        #expect(try await server.refresh(third, TestClients.web).error == "invalid_grant", "the whole family is gone")
        await server.stop()
    }

    @Test func `attack 46: fifty parallel refreshes end in one successor, and nobody is signed out`() async throws {
        let server = try await TestServer.start()
        let token = try await server.tokens(TestClients.web).refreshToken
        let successors = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 {
                group.addTask { try await server.refresh(token, TestClients.web).json["refresh_token"]?.stringValue }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
        #expect(try await server.refresh(try #require(successors.first), TestClients.web).status == 200)
        await server.stop()
    }

    @Test(arguments: [Int64(0), 30, 60])
    func `attack 47: a lost answer is repeated`(_ seconds: Int64) async throws {
        let server = try await TestServer.start()
        let token = try await server.tokens(TestClients.web).refreshToken
        let lost = try await server.refresh(token, TestClients.web).json["refresh_token"]?.stringValue
        server.clock.advance(seconds)
        let again = try await server.refresh(token, TestClients.web)
        #expect(again.json["refresh_token"]?.stringValue == lost)
        await server.stop()
    }

    @Test func `attack 47: a copy under way ends no honest session, however many rotations lie between`() async throws {
        let server = try await TestServer.start()
        let first = try await server.tokens(TestClients.web).refreshToken
        var token = first
        for _ in 0..<100 { token = try await server.refresh(token, TestClients.web).json["refresh_token"]?.stringValue }
        for seconds in [Int64(30), 20, 10] {
            server.clock.advance(seconds)
            #expect(try await server.refresh(first, TestClients.web).json["refresh_token"]?.stringValue == token)
        }
        #expect(try await server.refresh(token, TestClients.web).status == 200)
        server.clock.advance(1)
        #expect(try await server.refresh(first, TestClients.web).error == "invalid_grant", "the minute is over")
        await server.stop()
    }

    @Test(arguments: [Int64(3_600), -3_600])
    func `attack 45: a thief once a day beside an owner once a day is found on the second day`(_ offset: Int64)
        async throws
    {
        let server = try await TestServer.start()
        var owner = try await server.tokens(TestClients.web).refreshToken
        var thief = owner
        var days = 0
        while days < 60 {
            let (first, second) = offset > 0 ? (owner, thief) : (thief, owner)
            let early = try await server.refresh(first, TestClients.web).json["refresh_token"]?.stringValue
            server.clock.advance(abs(offset))
            let late = try await server.refresh(second, TestClients.web).json["refresh_token"]?.stringValue
            guard let early, let late else { break }
            (owner, thief) = offset > 0 ? (early, late) : (late, early)
            server.clock.advance(86_400 - abs(offset))
            days += 1
        }
        #expect(days == 1)
        #expect(try await server.auditCount(.refreshReplayed) == 1)
        await server.stop()
    }

    @Test func `attack 47: long after, a lost answer is forgiven once, the second time is a replay`() async throws {
        let server = try await TestServer.start()
        let token = try await server.tokens(TestClients.web).refreshToken
        let lost = try await server.refresh(token, TestClients.web).json["refresh_token"]?.stringValue
        server.clock.advance(61)
        #expect(try await server.refresh(token, TestClients.web).json["refresh_token"]?.stringValue == lost)
        server.clock.advance(60)
        let again = try await server.refresh(token, TestClients.web).json["refresh_token"]?.stringValue
        #expect(again == lost, "the answer to the retry may get lost as well")
        server.clock.advance(1)
        #expect(try await server.refresh(token, TestClients.web).error == "invalid_grant")
        #expect(try await server.refresh(lost, TestClients.web).error == "invalid_grant")
        await server.stop()
    }
}
