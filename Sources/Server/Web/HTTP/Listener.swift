internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOPosix
internal import ServiceLifecycle

/// Accepts connections until it is told to stop; then those that are open finish their requests.
struct Listener: Service {
    let host: String
    let port: Int
    /// Sockets that listen already; empty: one is opened at the address.
    let sockets: [Int32]
    let channel: ServerChannel
    let logger: Logger
    /// Called once, with the port, as soon as connections are accepted.
    let onListening: @Sendable (Int) async -> Void

    /// Connections that the system keeps until they are accepted.
    private static let backlog: Int32 = 1_024

    /// - Throws: `IOError` if the address is taken or not of this machine.
    func run() async throws {
        let open = try await openAll()
        let bound = open.first?.channel.localAddress?.port ?? port
        for listening in open {
            let address = listening.channel.localAddress
            logger.info(
                "listening",
                metadata: [
                    "host": "\(sockets.isEmpty ? host : address?.ipAddress ?? host)",
                    "port": "\(address?.port ?? port)",
                ])
        }
        await withGracefulShutdownHandler {
            await onListening(bound)
            await withTaskCancellationHandler {
                for listening in open { try? await listening.finished.futureResult.get() }
            } onCancel: {
                // The grace is over: the process ends, and what is still open with it.
                for listening in open {
                    listening.channel.close(promise: nil)
                    listening.finished.succeed()
                }
            }
        } onGracefulShutdown: {
            for listening in open { listening.stop() }
        }
    }

    /// A socket that accepts connections.
    private struct Listening: Sendable {
        let channel: any Channel
        let quiescing: ServerQuiescingHelper
        /// Succeeds when the socket and all its connections are closed.
        let finished: EventLoopPromise<Void>

        /// Accepts no more connections, and has those that are open finish their requests.
        ///
        /// What was accepted is set up on its own event loop and then comes back to the socket's: if the socket is closed
        /// by then, the connection is too, and its request is lost. So the socket is closed two rounds later.
        func stop() {
            channel.triggerUserOutboundEvent(AcceptGate.Stop())
                .flatMap { round() }.flatMap { round() }
                .whenComplete { _ in quiescing.initiateShutdown(promise: finished) }
        }

        /// Succeeds when every event loop has done what it was asked for until now.
        private func round() -> EventLoopFuture<Void> {
            let done = MultiThreadedEventLoopGroup.singleton.makeIterator().map { $0.submit {} }
            return .andAllComplete(done, on: channel.eventLoop)
        }
    }

    private func openAll() async throws -> [Listening] {
        let group = MultiThreadedEventLoopGroup.singleton
        guard !sockets.isEmpty else {
            return [try await listen(group) { try await $0.bind(host: host, port: port).get() }]
        }
        var open: [Listening] = []
        for socket in sockets {
            open.append(try await listen(group) { try await $0.withBoundSocket(socket).get() })
            // The bootstrap has shortened the queue of connections that wait.
            guard systemListen(socket, Self.backlog) == 0 else { throw IOError(errnoCode: errno, reason: "listen") }
        }
        return open
    }

    private func listen(
        _ group: MultiThreadedEventLoopGroup, _ open: (ServerBootstrap) async throws -> any Channel
    ) async throws -> Listening {
        let quiescing = ServerQuiescingHelper(group: group)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [connections = channel.connections, logger] socket in
                socket.eventLoop.makeCompletedFuture {
                    let pipeline = socket.pipeline.syncOperations
                    try pipeline.addHandler(AcceptGate(connections, logger: logger))
                    try pipeline.addHandler(quiescing.makeServerChannelHandler(channel: socket))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [channel] connection in
                connection.eventLoop.makeCompletedFuture { try channel.setUp(connection) }
            }
        let channel = try await open(bootstrap)
        return Listening(
            channel: channel, quiescing: quiescing, finished: channel.eventLoop.makePromise(of: Void.self))
    }
}

/// `listen(2)`; in ``Listener`` the name is taken.
private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }
