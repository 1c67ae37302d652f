import Foundation
import HTTPTypes
import KeyturnBase
import Logging
import NIOCore
import NIOPosix
import ServerTesting
import ServiceLifecycle
import Synchronization
import Testing

@testable import Web

@Suite("The listener: sockets that were opened before, and the end of connections")
struct ListenerTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"

    /// A server that answers everything with 200, on sockets that the test keeps open as a service manager does.
    private struct Running {
        let group: ServiceGroup
        let task: Task<Void, any Error>

        /// - Parameter sockets: each is given away as a copy.
        init(
            on sockets: [LoopbackListener], farewell: TimeAmount = .milliseconds(250),
            connections: OpenConnections = OpenConnections(bounds: ConnectionBounds(openFiles: .max)),
            respond: @escaping ExchangeHandler.Respond = { _, _ in
                Response(status: .ok, body: ByteBuffer(string: "here\n"))
            }
        ) async throws {
            var limits = ConnectionLimits()
            limits.farewell = farewell
            let channel = ServerChannel(
                limits: limits, connections: connections, now: { UnixTime(rawValue: 1_800_000_000) },
                respond: respond)
            let (listening, signal) = AsyncStream.makeStream(of: Int.self)
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let listener = Listener(
                host: "127.0.0.1", port: 0, sockets: sockets.map { $0.copy() }, channel: channel, logger: logger
            ) { signal.yield($0) }
            let group = ServiceGroup(configuration: .init(services: [.init(service: listener)], logger: logger))
            self.group = group
            // Unstructured on purpose: it runs until the test stops it.
            task = Task {
                defer { signal.finish() }
                try await group.run()
            }
            var ports = listening.makeAsyncIterator()
            #expect(await ports.next() == sockets.first?.port)
        }

        func stop() async throws {
            await group.triggerGracefulShutdown()
            try await task.value
        }
    }

    @Test func `every socket that was passed is listened on`() async throws {
        let sockets = [try LoopbackListener(), try LoopbackListener()]
        let server = try await Running(on: sockets)
        for socket in sockets {
            let connection = try await RawConnection.open(port: socket.port)
            try await connection.send(Self.request)
            try await connection.wait { $0.statuses == ["200"] }
        }
        try await server.stop()
    }

    @Test func `connections that come between two servers of a socket are answered by the second`() async throws {
        let socket = try LoopbackListener()
        try await Running(on: [socket]).stop()
        var waiting: [RawConnection] = []
        // More than the system's own standard queue.
        for _ in 0..<200 {
            let connection = try await RawConnection.open(port: socket.port)
            try await connection.send(Self.request)
            waiting.append(connection)
        }
        let second = try await Running(on: [socket])
        for connection in waiting { try await connection.wait { $0.statuses == ["200"] } }
        try await second.stop()
    }

    @Test func `115: a server that is full of idle connections answers the next one`() async throws {
        let socket = try LoopbackListener()
        let connections = OpenConnections(bounds: ConnectionBounds(all: 16))
        let server = try await Running(on: [socket], connections: connections)
        var idle: [RawConnection] = []
        for _ in 0..<60 { idle.append(try await RawConnection.open(port: socket.port)) }
        for _ in 0..<20 {
            let connection = try await RawConnection.open(port: socket.port)
            try await connection.send(Self.request)
            try await connection.wait { $0.statuses == ["200"] }
            // One of a read of sixteen may come after it is full.
            #expect(connections.number <= 32)
        }
        #expect(connections.counts.displaced > 40 && connections.counts.refused == 0)
        #expect(idle.prefix(20).allSatisfy { !$0.isActive }, "those that came first have gone")
        for connection in idle { connection.close() }
        try await server.stop()
    }

    @Test func `115: a server that is full of requests accepts the next connection when one has gone, or stops`()
        async throws
    {
        let socket = try LoopbackListener()
        let connections = OpenConnections(bounds: ConnectionBounds(all: 4))
        let (release, signal) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate(release)
        let (entries, entered) = AsyncStream.makeStream(of: Void.self)
        let server = try await Running(on: [socket], connections: connections) { _, _ in
            entered.yield()
            await gate.wait()
            return Response(status: .ok, body: ByteBuffer(string: "here\n"))
        }
        var busy: [RawConnection] = []
        var entry = entries.makeAsyncIterator()
        for _ in 0..<4 {
            let connection = try await RawConnection.open(port: socket.port)
            try await connection.send(Self.request)
            busy.append(connection)
            // A connection whose request was not read yet is idle, and gives way.
            await entry.next()
        }
        let next = try await RawConnection.open(port: socket.port)
        try await next.send(Self.request)
        signal.finish()
        for connection in busy + [next] { try await connection.wait { $0.statuses == ["200"] } }
        #expect(connections.counts.refused == 0)
        try await server.stop()
    }

    /// Lets all through once its stream has ended.
    private actor Gate {
        private let opened: Task<Void, Never>

        init(_ stream: AsyncStream<Void>) {
            // Unstructured: it belongs to no request.
            opened = Task { for await _ in stream {} }
        }

        func wait() async { await opened.value }
    }

    @Test func `a request that arrives just after the server was told to stop is answered`() async throws {
        let socket = try LoopbackListener()
        // So long that no busy machine makes the rest take longer.
        let farewell = TimeAmount.seconds(30)
        let server = try await Running(on: [socket], farewell: farewell)
        let (new, used, probe) = (
            try await RawConnection.open(port: socket.port), try await RawConnection.open(port: socket.port),
            try await RawConnection.open(port: socket.port)
        )
        try await used.send(Self.request)
        try await used.wait { $0.statuses == ["200"] }
        let begun = ContinuousClock.now
        async let stopped: Void = server.stop()
        // Until the server was told, it keeps connections.
        var asked = 0
        while !probe.text.contains("connection: close") {
            try await probe.send(Self.request)
            asked += 1
            let statuses = [String](repeating: "200", count: asked)
            try await probe.wait { $0.statuses == statuses }
        }
        for connection in [new, used] { try await connection.send(Self.request) }
        try await new.wait { $0.statuses == ["200"] && !$0.isActive }
        try await used.wait { $0.statuses == ["200", "200"] && !$0.isActive }
        #expect(new.text.contains("connection: close"))
        try await stopped
        #expect(ContinuousClock.now - begun < .nanoseconds(farewell.nanoseconds), "it was not waited for")
    }

    @Test func `a connection without another request is closed after the farewell`() async throws {
        let socket = try LoopbackListener()
        let server = try await Running(on: [socket], farewell: .milliseconds(300))
        let silent = try await RawConnection.open(port: socket.port)
        // The server has it by now.
        try await silent.send(Self.request)
        try await silent.wait { $0.statuses == ["200"] }
        let begun = ContinuousClock.now
        try await server.stop()
        let seconds = ContinuousClock.now - begun
        #expect(seconds >= .milliseconds(300) && seconds < .seconds(5))
        try await silent.wait { !$0.isActive }
        #expect(silent.statuses == ["200"])
    }
}

/// A socket that listens at 127.0.0.1, and stays open whatever is done with its copies.
private final class LoopbackListener: Sendable {
    let descriptor: Int32
    let port: Int

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 && listen(descriptor, 4_096) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isBound, "no socket at 127.0.0.1")
        self.descriptor = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }

    func copy() -> Int32 { dup(descriptor) }
}
