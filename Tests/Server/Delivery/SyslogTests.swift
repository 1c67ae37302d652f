import KeyturnBase
import Model
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import Delivery

@Suite("Audit events by syslog and webhook")
struct SyslogTests {
    private static func record(_ number: Int64, _ kind: AuditEvent.Kind = .signedIn, target: String = "t")
        -> AuditRecord
    {
        AuditRecord(
            number: number,
            event: AuditEvent(kind, at: UnixTime(rawValue: 1_800_000_000), address: "192.0.2.1", target: target),
            loginIDs: [], tenants: [], previous: AuditChain.beginning)
    }

    /// Collects what is written to a port.
    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let bytes = Mutex<[UInt8]>([])

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = Self.unwrapInboundIn(data)
            bytes.withLock { $0 += Array(buffer.readableBytesView) }
        }
    }

    @Test func `a message has facility, severity, time, host and action, and the event as JSON`() throws {
        let text = SyslogMessage.text(Self.record(7, .signInFailed), host: "id.example.com")
        let head = "<84>1 2027-01-15T08:00:00Z id.example.com keyturn - sign_in.failed - "
        #expect(text.hasPrefix(head))
        let json = try JSONValue(parsing: Array(text.dropFirst(head.count).utf8))
        #expect(json["number"] == 7 && json["address"] == "192.0.2.1" && json["digest"]?.stringValue?.count == 64)
        #expect(
            SyslogMessage.text(Self.record(7), host: "").hasPrefix(
                "<85>1 2027-01-15T08:00:00Z - keyturn - sign_in.succ"))
    }

    @Test func `113: what a client chose adds no line and no message`() {
        let text = SyslogMessage.text(Self.record(1, target: "a\n<13>1 - - - - - - forged"), host: "h\nx y")
        #expect(!text.contains("\n") && text.contains(" hxy keyturn "))
    }

    @Test func `over TCP octets are counted, and a server that comes back gets what it did not take`() async throws {
        let collector = Collector()
        let group = MultiThreadedEventLoopGroup.singleton
        func listen(_ port: Int) async throws -> any Channel {
            try await ServerBootstrap(group: group)
                .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { $0.pipeline.addHandler(collector) }
                .bind(host: "127.0.0.1", port: port).get()
        }
        let server = try await listen(0)
        let port = try #require(server.localAddress?.port)
        let transport = try SyslogTransport(.init(security: .tcp, host: "127.0.0.1", port: port), sender: "id")
        let batch = AuditBatch(stream: "s", records: [Self.record(1), Self.record(2)])
        #expect(await transport.send(batch) == .sent)
        let expected = batch.records.map { record in
            let text = SyslogMessage.text(record, host: "id")
            return "\(text.utf8.count) \(text)"
        }.joined()
        for _ in 0..<200 where collector.bytes.withLock({ $0.count }) < expected.utf8.count {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(collector.bytes.withLock { String(decoding: $0, as: UTF8.self) } == expected)
        await transport.close()
        try await server.close()
        guard case .unreachable = await transport.send(batch) else {
            Issue.record("nobody listens")
            return
        }
        let again = try await listen(port)
        #expect(await transport.send(batch) == .sent)
        await transport.close()
        try await again.close()
    }

    @Test func `a webhook's signature is that of Standard Webhooks`() throws {
        // printf 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}' | openssl dgst -sha256 -mac HMAC …
        let key = try #require(WebhookKey(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        let signature = key.signature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: UnixTime(rawValue: 1_614_265_330),
            Array(#"{"test": 2432232314}"#.utf8))
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(WebhookKey(Secret("hush")) == nil && WebhookKey(Secret("whsec_")) == nil)
    }
}
