internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// What a conversation asks of its connection.
enum SMTPStep: Sendable {
    /// Sends something, or nothing, and waits for one reply.
    case exchange(ByteBuffer?, EventLoopPromise<SMTPReply>, within: TimeAmount)
    /// Goes on under TLS. Refused if anything has arrived unasked: it came without protection.
    case secure(NIOSSLContext, host: String?, EventLoopPromise<Void>)
}

/// One side of a conversation with a mail server: something said, one reply, and never more than one waiting.
///
/// Whatever goes wrong first, the promise that waits is told, and so is every later one; what arrives afterwards is not
/// listened to. The code that opened the connection closes it.
final class SMTPHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = SMTPStep
    typealias OutboundOut = ByteBuffer

    private var reader = SMTPReplyReader()
    private var waiting: (promise: EventLoopPromise<SMTPReply>, timeout: Scheduled<Void>)?
    /// The greeting, if it arrived before it was waited for.
    private var greeting: SMTPReply?
    private var hasBegun = false
    private let reason: SMTPFailure
    private var failure: SMTPProblem? { reason.problem }

    init(reason: SMTPFailure) {
        self.reason = reason
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .exchange(let bytes, let reply, let limit):
            exchange(context, bytes, reply, limit)
            promise?.succeed(())
        case .secure(let tls, let host, let done):
            secure(context, tls, host, done)
            promise?.succeed(())
        }
    }

    private func exchange(
        _ context: ChannelHandlerContext, _ bytes: ByteBuffer?, _ reply: EventLoopPromise<SMTPReply>,
        _ limit: TimeAmount
    ) {
        if let failure { return reply.fail(failure) }
        hasBegun = true
        if let greeting {
            self.greeting = nil
            return reply.succeed(greeting)
        }
        let loop = context.eventLoop.assumeIsolated()
        let timeout = loop.scheduleTask(in: limit) { self.fail(.unreachable("smtp no reply in time")) }
        waiting = (reply, timeout)
        if let bytes { context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
    }

    private func secure(
        _ context: ChannelHandlerContext, _ tls: NIOSSLContext, _ host: String?, _ done: EventLoopPromise<Void>
    ) {
        if let failure { return done.fail(failure) }
        guard reader.isEmpty else {
            let problem = SMTPProblem.unreachable("smtp spoke between STARTTLS and TLS")
            done.fail(problem)
            return fail(problem)
        }
        do {
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: host)
            try context.pipeline.syncOperations.addHandler(handler, position: .first)
            done.succeed(())
        } catch {
            done.fail(SMTPProblem.unreachable("smtp tls could not begin"))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard failure == nil else { return }
        do {
            try reader.append(unwrapInboundIn(data).readableBytesView)
            while failure == nil, let reply = try reader.next() { take(reply) }
        } catch {
            fail(.unreachable("smtp answer is not one: \(error)"))
        }
    }

    private func take(_ reply: SMTPReply) {
        if let waiting {
            self.waiting = nil
            waiting.timeout.cancel()
            waiting.promise.succeed(reply)
        } else if !hasBegun, greeting == nil {
            greeting = reply
        } else {
            fail(.unreachable("smtp \(reply.code) unasked"))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.unreachable("smtp connection lost"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTLS = error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
        fail(.unreachable(isTLS ? "smtp tls refused" : "smtp connection broken"))
    }

    private func fail(_ problem: SMTPProblem) {
        guard failure == nil else { return }
        reason.set(problem)
        if let waiting {
            self.waiting = nil
            waiting.timeout.cancel()
            waiting.promise.fail(problem)
        }
    }
}

/// What went wrong first on a connection; it is there also when the connection is gone.
final class SMTPFailure: Sendable {
    private let value = Mutex<SMTPProblem?>(nil)

    var problem: SMTPProblem? { value.withLock { $0 } }

    func set(_ problem: SMTPProblem) {
        value.withLock { $0 = problem }
    }
}
