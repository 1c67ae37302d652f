internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOPosix
internal import ServiceLifecycle

/// Accepts connections until it is told to stop; then those that are open finish their requests.
struct Listener: Service {
    let host: String
    let port: Int
    let channel: ServerChannel
    let logger: Logger
    /// Called once, with the port, as soon as connections are accepted.
    let onListening: @Sendable (Int) async -> Void

    /// Connections that the system keeps until they are accepted.
    private static let backlog: Int32 = 1_024

    /// - Throws: `IOError` if the address is taken or not of this machine.
    func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let listening = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: Self.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        quiescing.makeServerChannelHandler(channel: channel))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [channel] connection in
                connection.eventLoop.makeCompletedFuture { try channel.setUp(connection) }
            }
            .bind(host: host, port: port).get()
        let finished = listening.eventLoop.makePromise(of: Void.self)
        let bound = listening.localAddress?.port ?? port
        logger.info("listening", metadata: ["host": "\(host)", "port": "\(bound)"])
        await withGracefulShutdownHandler {
            await onListening(bound)
            await withTaskCancellationHandler {
                try? await finished.futureResult.get()
            } onCancel: {
                // The grace is over: the process ends, and what is still open with it.
                listening.close(promise: nil)
                finished.succeed()
            }
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: finished)
        }
    }
}
