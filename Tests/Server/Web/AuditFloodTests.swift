import Foundation
import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Audit rows that strangers make, and clients behind a proxy")
struct AuditFloodTests {
    private func guess(
        _ server: TestServer, _ name: String = "stranger@example.com", _ password: String = "wrong-password-1",
        from address: String
    ) async throws -> Int {
        try await server.call(
            "password/signin", ["loginId": .string(name), "password": .string(password)], from: address
        ).status
    }

    private func rows(_ server: TestServer, _ kind: AuditEvent.Kind) async throws -> [AuditEvent] {
        _ = try await server.services.auditLog.flush()
        return try await server.services.stores.audit.newest(limit: 1_000).filter { $0.kind == kind }
    }

    @Test func `throttled guesses of one network are two rows, and the second has their number`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        var throttled = 0
        for number in 0..<60 {
            let address = "[2001:db8:0:1::\(String(number + 1, radix: 16))]:\(50_000 + number)"
            if try await guess(server, from: address) == 429 { throttled += 1 }
        }
        #expect(throttled >= 40)
        #expect(try await rows(server, .signInThrottled).count == 1, "the minute is not over")
        server.clock.advance(60)
        let rows = try await rows(server, .signInThrottled)
        #expect(rows.count == 2 && rows.last?.changes == nil)
        #expect(rows.first?.changes?.list == [AuditChange(field: "repeated", before: nil, after: "\(throttled - 1)")])
        let metrics = try await server.get("/metrics").body
        #expect(
            metrics.contains("keyturn_audit_events_total{event=\"sign_in.throttled\"} \(throttled)\n"),
            "each one is counted")
        await server.stop()
    }

    @Test func `clients whose proxy writes their ports have limits of their own`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        for number in 1...40 {
            #expect(try await guess(server, "c\(number)@example.com", from: "198.51.100.\(number):51234") != 429)
        }
        for number in 0..<20 { _ = try await guess(server, from: "203.0.113.9:\(1_000 + number)") }
        #expect(try await guess(server, from: "203.0.113.9:1") == 429, "another port is the same client")
        #expect(try await guess(server, from: "203.0.113.10:1") != 429)
        #expect(try await rows(server, .signInFailed).contains { $0.address == "198.51.100.7" })
        await server.stop()
    }

    /// Every client with an address that cannot be read has that network: one of them must not open it to the others.
    @Test func `80: a client whose address is not known makes no network known`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let attempts = server.services.stores.attempts
        let key = "account:email:\(TestServer.username)@"
        for text in ["unknown", "198.51.100.7:x"] {
            #expect(try await guess(server, TestServer.username, TestServer.password, from: text) == 200)
        }
        for network in ["unknown", "127.0.0.1"] { #expect(try await !attempts.isKnown(key + network)) }
        #expect(try await guess(server, TestServer.username, TestServer.password, from: "198.51.100.7:9") == 200)
        #expect(try await attempts.isKnown(key + "198.51.100.7"))
        #expect(try await server.get("/metrics").body.contains("keyturn_forwarding_unreadable_total 2\n"))
        await server.stop()
    }
}
