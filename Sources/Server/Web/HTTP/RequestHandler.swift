internal import KeyturnBase
internal import NIOCore
internal import NIOHTTP1

/// The end of a connection's pipeline that sees requests: it refuses what HTTP itself forbids, before a route is
/// looked up, and passes on requests whose body is complete.
///
/// It stands behind the decoder. A body above ``ConnectionLimits/collectedBytesMax`` is passed on as it comes: its
/// route knows how much it takes, and how to refuse the rest.
final class RequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Progress {
        case idle
        /// Not passed on yet: ``head`` and ``body`` hold it.
        case collecting
        /// Passed on while it still arrives.
        case passing
        /// Passed on to its end, not yet answered.
        case answering
        /// The last answer of this connection is written, or being written.
        case closing
    }

    private let limits: ConnectionLimits
    /// What the answers' `Date` says.
    private let now: @Sendable () -> UnixTime
    private var progress = Progress.idle
    private var head: HTTPRequestHead?
    private var body: ByteBuffer?
    private var isAnswerBegun = false
    /// No request follows this one.
    private var isLast = false
    private var isHead = false
    /// The server is being stopped.
    private var isDraining = false

    init(limits: ConnectionLimits, now: @escaping @Sendable () -> UnixTime) {
        self.limits = limits
        self.now = now
    }

    // MARK: What comes in

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), progress) {
        case (.head(let head), .idle): begin(head, context)
        case (.body(let bytes), .collecting): collect(bytes, context)
        case (.body, .passing): context.fireChannelRead(data)
        case (.end, .collecting), (.end, .passing):
            progress = .answering
            tell(.requestRead, context)
            pass(context)
            context.fireChannelRead(wrapInboundOut(.end(nil)))
        case (_, .closing): break
        // The bytes of a second request never come before the first is answered.
        case (.head, _), (.body, _), (.end, _): refuse(.badRequest, context)
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        isAnswerBegun = false
        isHead = head.method == .HEAD
        // The decoder reads nothing after a request for another protocol; this server supports no other.
        isLast = !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
        if let status = RequestHead.refusal(of: head) { return refuse(status, context) }
        let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
        if length > 0 { tell(.bodyFollows(bytes: length), context) }
        if head.version.minor >= 1, head.headers.contains(name: "expect"), length <= Self.awaitedBytesMax {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: .continue))), promise: nil)
        }
        self.head = head
        progress = .collecting
        guard length > limits.collectedBytesMax else { return }
        progress = .passing
        pass(context)
    }

    private func collect(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if body == nil { body = bytes } else { body?.writeImmutableBuffer(bytes) }
        guard let body, body.readableBytes > limits.collectedBytesMax else { return }
        progress = .passing
        pass(context)
    }

    /// Passes on the collected request, if there is one.
    private func pass(_ context: ChannelHandlerContext) {
        if let head { context.fireChannelRead(wrapInboundOut(.head(head))) }
        head = nil
        if let body { context.fireChannelRead(wrapInboundOut(.body(body))) }
        body = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? HTTPParserError {
        case .headerOverflow?: refuse(.requestHeaderFieldsTooLarge, context)
        case .invalidVersion?: refuse(.httpVersionNotSupported, context)
        case .some: refuse(.badRequest, context)
        case nil: context.fireErrorCaught(error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ConnectionEvent.requestTimedOut: refuse(.requestTimeout, context)
        case is ChannelShouldQuiesceEvent: isDraining = true
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: What goes out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .closing = progress {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where !head.status.isInformational:
            isAnswerBegun = true
            // Nothing would use the rest of the request.
            if case .passing = progress { isLast = true }
            if isDraining { isLast = true }
            if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
            head.headers.add(name: "date", value: DateField.cached(now()))
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where isHead:
            promise?.succeed()
        case .end:
            context.write(data, promise: promise)
            progress = isLast ? .closing : .idle
            tell(.answerWritten(isLast: isLast), context)
        case .head, .body:
            context.write(data, promise: promise)
        }
    }

    /// Answers directly, and passes no further bytes of this connection to a route.
    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        if case .closing = progress { return }
        progress = .closing
        head = nil
        body = nil
        guard context.channel.isActive else { return }
        if !isAnswerBegun {
            let fields: HTTPHeaders = ["content-length": "0", "connection": "close"]
            context.write(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))),
                promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        tell(.answerWritten(isLast: true), context)
    }

    private func tell(_ event: ConnectionEvent, _ context: ChannelHandlerContext) {
        context.triggerUserOutboundEvent(event, promise: nil)
    }

    /// A client that waits for `100 Continue` with more than this is answered by the route, before it sends the body.
    private static let awaitedBytesMax = 1_048_576
}

extension HTTPResponseStatus {
    fileprivate var isInformational: Bool { (100..<200).contains(code) }
}
