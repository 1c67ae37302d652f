import NIOCore
import NIOPosix

/// An HTTP server that answers each request with exactly the bytes it is told to, right or wrong.
struct RawServer: Sendable {
    /// What one answer consists of.
    enum Step: Sendable {
        case send(String)
        case pause(milliseconds: Int64)
        case close
    }

    let base: String
    private let channel: any Channel

    /// - Parameters:
    ///   - closed: Called when a connection ends.
    ///   - answer: Gets the head of each request as text.
    static func start(
        closed: @escaping @Sendable () -> Void = {}, _ answer: @escaping @Sendable (String) -> [Step]
    ) async throws -> RawServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer: answer, closed: closed))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return RawServer(base: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)", channel: channel)
    }

    func stop() async throws {
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let answer: @Sendable (String) -> [Step]
        private let closed: @Sendable () -> Void
        private var received = ""

        init(answer: @escaping @Sendable (String) -> [Step], closed: @escaping @Sendable () -> Void) {
            self.answer = answer
            self.closed = closed
        }

        func channelInactive(context: ChannelHandlerContext) {
            closed()
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += String(buffer: unwrapInboundIn(data))
            guard let end = received.firstRange(of: "\r\n\r\n") else { return }
            let head = String(received[..<end.lowerBound])
            received = ""
            Self.run(answer(head)[...], on: context.channel)
        }

        private static func run(_ steps: ArraySlice<Step>, on channel: any Channel) {
            guard let step = steps.first, channel.isActive else { return }
            let rest = steps.dropFirst()
            switch step {
            case .send(let text):
                channel.writeAndFlush(ByteBuffer(string: text)).whenSuccess { run(rest, on: channel) }
            case .pause(let milliseconds):
                channel.eventLoop.scheduleTask(in: .milliseconds(milliseconds)) { run(rest, on: channel) }
            case .close:
                channel.close(promise: nil)
            }
        }
    }
}
