internal import NIOCore
internal import NIOHTTP1

/// The last handler of a connection's pipeline: gives each request to the responder, and writes its answer.
///
/// The responder runs on the connection's event loop. If it waits for nothing, all between the last byte of the request
/// and the first of the answer happens in one turn of the loop, and no other thread wakes up.
final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart
    typealias Respond = @Sendable (Request, Peer) async -> Response

    private enum Progress {
        case idle
        /// The head has arrived.
        case collecting(HTTPRequestHead)
        /// The responder has the request. Of a body that still arrives it reads the rest itself.
        case responding(StreamedBody?)
    }

    private let respond: Respond
    private let executor: LoopExecutor
    private var peer = Peer(nil)
    private var progress = Progress.idle
    /// What has arrived of the body while the head waits for it.
    private var body = ByteBuffer()
    /// The client has closed its side.
    private var isEnding = false

    init(on loop: any EventLoop, respond: @escaping Respond) {
        self.respond = respond
        executor = LoopExecutor(loop)
    }

    // MARK: What comes in

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { peer = Peer(context.channel.remoteAddress?.ipAddress) }
    }

    func channelActive(context: ChannelHandlerContext) {
        peer = Peer(context.channel.remoteAddress?.ipAddress)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), progress) {
        case (.head(let head), .idle):
            progress = .collecting(head)
        case (.body(let bytes), .collecting):
            if body.readableBytes == 0 { body = bytes } else { body.writeImmutableBuffer(bytes) }
        case (.body(let bytes), .responding(let body)):
            body?.take(bytes)
        case (.end, .collecting(let head)):
            progress = .responding(nil)
            begin(Request(head, body: .whole(takeBody())), context)
        case (.end, .responding(let body)):
            body?.end()
        // RequestHandler passes on nothing else.
        case (.head, _), (.body, .idle), (.end, .idle):
            context.close(promise: nil)
        }
    }

    /// Of a request that is passed on whole, nothing is left to come at the end of a read.
    func channelReadComplete(context: ChannelHandlerContext) {
        if case .collecting(let head) = progress {
            let rest = StreamedBody(takeBody(), on: context)
            progress = .responding(rest)
            begin(Request(head, body: .arriving(rest.bytes)), context)
        }
        context.fireChannelReadComplete()
    }

    private func takeBody() -> ByteBuffer {
        defer { body = ByteBuffer() }
        return body
    }

    func read(context: ChannelHandlerContext) {
        if case .responding(let body?) = progress, body.isFull {
            body.whenRead { context.read() }
        } else {
            context.read()
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        isEnding = true
        switch progress {
        case .responding(let body): body?.fail()
        // What is unsent goes before.
        case .idle, .collecting: context.close(mode: .output, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .responding(let body) = progress { body?.fail() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: What goes out

    private func begin(_ request: Request, _ context: ChannelHandlerContext) {
        let (respond, peer) = (respond, peer)
        let own = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let exchange = { @Sendable in
            let response = await respond(request, peer)
            let (handler, context) = own.value
            handler.answer(response, context)
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
            Task.immediate(executorPreference: executor, operation: exchange)
        } else {
            Task(executorPreference: executor, operation: exchange)
        }
    }

    private func answer(_ response: Response, _ context: ChannelHandlerContext) {
        if case .responding(let rest) = progress { rest?.fail() }
        progress = .idle
        guard context.channel.isActive else { return }
        context.write(wrapOutboundOut(.head(response.head)), promise: nil)
        if response.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isEnding { context.close(mode: .output, promise: nil) }
    }
}

/// Runs tasks on an event loop.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Called on the loop itself, this wakes no thread.
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
