import Foundation
import NIOCore
import NIOPosix
import ServerTesting
import Synchronization
import Testing

/// A connection to a test server on which bytes are sent as they are.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let received: Received

    private final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let bytes = Mutex<[UInt8]>([])
        /// Whether the server has closed its side.
        let hasEnded = Mutex(false)

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let part = unwrapInboundIn(data)
            bytes.withLock { $0 += part.readableBytesView }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { hasEnded.withLock { $0 = true } }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    private init(_ channel: any Channel, _ received: Received) {
        self.channel = channel
        self.received = received
    }

    /// - Parameter reads: with `false` nothing is ever read, and the system takes a few kilobytes.
    static func open(_ server: TestServer, reads: Bool = true) async throws -> RawConnection {
        try await open(port: try #require(server.address.split(separator: ":").last.flatMap { Int($0) }), reads: reads)
    }

    static func open(port: Int, reads: Bool = true) async throws -> RawConnection {
        let received = Received()
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(received) }
            }
        if !reads { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: 4_096) }
        return RawConnection(try await bootstrap.connect(host: "127.0.0.1", port: port).get(), received)
    }

    var text: String { received.bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    /// The status codes of what has arrived, in order.
    var statuses: [String] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    /// Sends one byte at a time until the server has had enough.
    func drip(_ byte: String, every pause: Duration) async throws {
        while isActive, text.isEmpty {
            try? await send(byte)
            try await Task.sleep(for: pause)
        }
    }

    func endInput() async throws {
        try await channel.close(mode: .output).get()
    }

    /// Waits until `condition` holds; fails after a minute or more.
    func wait(_ condition: (RawConnection) -> Bool, _ place: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<6_000 {
            if condition(self) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("it did not happen; so far: \(text.prefix(500))", sourceLocation: place)
    }

    var isClosed: Bool { !channel.isActive || ended }

    /// Whether the server has closed its side: then an answer that was read to its end is whole.
    private var ended: Bool { text.contains("onnection: close") }

    func close() {
        channel.close(promise: nil)
    }

    /// Whether neither side has ended the connection.
    var isActive: Bool { channel.isActive && !received.hasEnded.withLock { $0 } }
}

extension TestServer {
    /// Sends `text` on a connection of its own; everything that comes back until the answers are `count`.
    func answers(to text: String, count: Int = 1) async throws -> RawConnection {
        let connection = try await RawConnection.open(self)
        try await connection.send(text)
        try await connection.wait { $0.statuses.count >= count }
        return connection
    }
}
