internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPTypes

/// The last handler of a connection's pipeline: gives each request to the responder, and writes its answer.
///
/// The responder runs on the connection's event loop. If it waits for nothing, all between the last byte of the request
/// and the first of the answer happens in one turn of the loop, and no other thread wakes up.
final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart
    typealias Respond = @Sendable (Request, any Channel) async -> Response

    private enum Progress {
        case idle
        /// The head, and what has arrived of the body.
        case collecting(HTTPRequest, ByteBuffer)
        /// The responder has the request. Of a body that still arrives it reads the rest itself.
        case responding(StreamedBody?)
    }

    private let respond: Respond
    private let executor: LoopExecutor
    private var progress = Progress.idle
    /// Bytes were asked for, and the responder has not yet read those that are there.
    private var readIsWaiting = false
    /// The client has closed its side.
    private var isEnding = false

    init(on loop: any EventLoop, respond: @escaping Respond) {
        self.respond = respond
        executor = LoopExecutor(loop)
    }

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), progress) {
        case (.head(let head), .idle):
            progress = .collecting(head, ByteBuffer())
        case (.body(let bytes), .collecting(let head, var body)):
            progress = .idle
            body.writeImmutableBuffer(bytes)
            progress = .collecting(head, body)
        case (.body(let bytes), .responding(let body)):
            body?.take(bytes)
        case (.end, .collecting(let head, let body)):
            progress = .responding(nil)
            begin(Request(head: head, body: RequestBody(buffer: body)), context)
        case (.end, .responding(let body)):
            body?.end()
        // RequestHandler passes on nothing else.
        case (.head, _), (.body, .idle), (.end, .idle):
            context.close(promise: nil)
        }
    }

    /// Of a request that is passed on whole, nothing is left to come at the end of a read.
    func channelReadComplete(context: ChannelHandlerContext) {
        if case .collecting(let head, let first) = progress {
            let body = StreamedBody(first, on: context)
            progress = .responding(body)
            begin(Request(head: head, body: RequestBody(asyncSequence: body.bytes)), context)
        }
        context.fireChannelReadComplete()
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
        let (respond, channel) = (respond, context.channel)
        let own = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let exchange = { @Sendable in
            let response = await respond(request, channel)
            let body = await CollectedBody.bytes(of: response.body)
            let (handler, context) = own.value
            handler.answer(response.head, body, context)
        }
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
            Task.immediate(executorPreference: executor, operation: exchange)
        } else {
            Task(executorPreference: executor, operation: exchange)
        }
    }

    private func answer(_ head: HTTPResponse, _ body: ByteBuffer?, _ context: ChannelHandlerContext) {
        if case .responding(let rest) = progress { rest?.fail() }
        progress = .idle
        guard context.channel.isActive else { return }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if let body, body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
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
        // Called on the loop itself, it wakes nobody.
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Reads the bytes of an answer.
private struct CollectedBody: ResponseBodyWriter {
    private final class Bytes {
        var buffer: ByteBuffer?
    }

    private let bytes = Bytes()

    static func bytes(of body: consuming ResponseBody) async -> ByteBuffer? {
        guard body.contentLength != 0 else { return nil }
        let writer = CollectedBody()
        let bytes = writer.bytes
        try? await body.write(writer)
        return bytes.buffer
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        if bytes.buffer == nil { bytes.buffer = buffer } else { bytes.buffer?.writeImmutableBuffer(buffer) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
