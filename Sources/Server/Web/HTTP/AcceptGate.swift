internal import Foundation
internal import Logging
internal import NIOCore

/// Stands where connections are accepted: takes in what ``OpenConnections`` has room for, and accepts nothing while it
/// has none, or the system has no more files. The system keeps those that come meanwhile (``Listener``).
final class AcceptGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    /// For the gate: accept no more, for good.
    struct Stop: Sendable {}

    private let connections: OpenConnections
    private let logger: Logger
    private var isStopping = false
    private var isPaused = false
    /// When the next failure is worth a line of the log.
    private var silentUntil = NIODeadline.uptimeNanoseconds(0)

    /// Until it looks again whether there is room: connections that were busy may be idle by then.
    private static let pause = TimeAmount.milliseconds(250)
    private static let silence = TimeAmount.seconds(60)

    init(_ connections: OpenConnections, logger: Logger) {
        self.connections = connections
        self.logger = logger
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let accepted = unwrapInboundIn(data)
        guard connections.admit(accepted) else { return accepted.close(promise: nil) }
        context.fireChannelRead(data)
        if connections.isFull { wait(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = (error as? IOError)?.errnoCode, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) else {
            return context.fireErrorCaught(error)
        }
        connections.acceptFailed()
        if silentUntil <= .now() {
            silentUntil = .now() + Self.silence
            logger.error(
                "a connection could not be accepted: the system has no more open files or memory for this process",
                metadata: ["errno": "\(code)"])
        }
        // The connection still waits: asked again at once, the system would say the same.
        wait(context)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Stop else { return context.triggerUserOutboundEvent(event, promise: promise) }
        isStopping = true
        accept(false, context)
        promise?.succeed()
    }

    private func wait(_ context: ChannelHandlerContext) {
        guard !isPaused, !isStopping else { return }
        isPaused = true
        accept(false, context)
        look(context)
    }

    /// Looks after a pause, and as soon as a connection has gone.
    private func look(_ context: ChannelHandlerContext) {
        let own = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            guard self.isPaused, context.channel.isActive else { return }
            if self.connections.isFull { self.look(context) } else { self.goOn(context) }
        }
        guard connections.isFull else { return }
        connections.makeRoom { [loop = context.eventLoop] in
            loop.execute {
                let (gate, context) = own.value
                if !gate.connections.isFull { gate.goOn(context) }
            }
        }
    }

    private func goOn(_ context: ChannelHandlerContext) {
        guard isPaused, !isStopping, context.channel.isActive else { return }
        isPaused = false
        accept(true, context)
    }

    /// Whether the system is asked for connections.
    private func accept(_ accepts: Bool, _ context: ChannelHandlerContext) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: accepts)
    }
}
