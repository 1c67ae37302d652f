import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Synchronization
import Testing

@testable import Delivery

@Suite("Streams of shared signals that are pushed (RFC 8935)")
final class SignalStreamSenderTests: Sendable {
    private let reasons = Mutex<[String]>([])

    private func sender(_ server: TestServer, issuer: String? = nil) -> SignalStreamSender {
        SignalStreamSender(
            server.services.signalStreams, issuer: issuer ?? server.issuer, ambient: server.clock.ambient
        ) { [self] event in
            guard case .postponed(let stream, let reason, _) = event else { return }
            #expect(stream.hasPrefix("partner/"))
            reasons.withLock { $0.append(reason) }
        }
    }

    private static func partner(scope: String = Scope.signalsManage) -> Client {
        TestClients.make("partner", method: "client_secret_post", secret: TestClients.webSecret) { $0.scope = scope }
    }

    /// A server with a stream to an address at which nothing listens, and an event that waits.
    private static func waiting(_ client: Client = partner(), header: String? = nil) async throws -> TestServer {
        let server = try await TestServer.start(clients: [client])
        var delivery: [String: JSONValue] = [
            "method": "urn:ietf:rfc:8935", "endpoint_url": "http://127.0.0.1:9/events",
        ]
        delivery["authorization_header"] = header.map(JSONValue.string)
        _ = try await server.services.signalStreams.create(["delivery": .object(delivery)], of: partner())
        try await server.services.stores.audit.append([
            AuditEvent(.userLoggedOut, at: server.clock.now, userID: TestServer.subject)
        ])
        return server
    }

    private func stream(_ server: TestServer) async throws -> SignalStream {
        try #require(try await server.services.stores.signalStreams.streams(of: "partner").first)
    }

    @Test func `a token that was not taken is pushed again, later each time`() async throws {
        let server = try await Self.waiting()
        let sender = sender(server)
        var before = try await stream(server)
        await sender.pushAll()
        await sender.pushAll()
        #expect(reasons.withLock { $0 } == ["no answer"], "not due yet")
        server.clock.advance(10)
        await sender.pushAll()
        #expect(reasons.withLock { $0.count } == 2 && sender.counters.values["partner"]?.failures == 2)
        before.failures = 2
        #expect(try await stream(server) == before, "nothing counts as taken")
        // The receiver polls from now on: what was not taken is there.
        let answer = try await server.services.signalStreams.update(
            ["stream_id": .string(before.id), "delivery": ["method": "urn:ietf:rfc:8936"]], replaces: false,
            of: Self.partner())
        #expect(answer["delivery"]?["method"] == "urn:ietf:rfc:8936")
        let polled = try await server.services.signalStreams.poll(
            before.id, ["returnImmediately": true], of: Self.partner()
        ) { false }
        #expect(polled["sets"]?.objectValue?.count == 1)
        await server.stop()
    }

    @Test func `B-10: a receiver's address in a private network gets nothing from a public server`() async throws {
        let server = try await Self.waiting()
        await sender(server, issuer: "https://id.example.com").pushAll()
        #expect(reasons.withLock { $0 } == ["the address lies in a private network"])
        await server.stop()
    }

    @Test func `B-10: a public server takes no private address for a stream`() async throws {
        let server = try await TestServer.start(clients: [Self.partner()], issuer: "https://id.example.com")
        for address in [
            "https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/", "https://[::1]/",
            "https://169.254.169.254/",
            "https://[::ffff:10.0.0.1]/", "http://receiver.example/",
        ] {
            await #expect(throws: SignalProblem.self, "\(address)") {
                _ = try await server.services.signalStreams.create(
                    ["delivery": ["method": "urn:ietf:rfc:8935", "endpoint_url": .string(address)]], of: Self.partner())
            }
        }
        #expect(try await server.services.stores.signalStreams.streams(of: "partner").isEmpty)
        await server.stop()
    }

    @Test func `nothing is pushed for a client that lost its scope, or without the header that it gave`() async throws {
        let lost = try await Self.waiting(Self.partner(scope: "profile"))
        await sender(lost).pushAll()
        let sealed = try await Self.waiting(header: "Bearer x")
        let id = try await stream(sealed).id
        _ = try await sealed.services.stores.signalStreams.change(id, of: "partner") { stream in
            // As another server would have sealed it.
            stream.push?.authorization?[12] ^= 1
        }
        await sender(sealed).pushAll()
        let reasons = reasons.withLock { $0 }
        #expect(reasons.count == 2 && reasons.allSatisfy { $0.hasPrefix("the client lost its scope") })
        await lost.stop()
        await sealed.stop()
    }
}
