internal import NIOCore

/// The end of a connection's pipeline that sees bytes: how long a request, an answer and a pause may take, and how many
/// requests are read before the first of them is answered (one).
///
/// It stands before the decoder. The decoder gets the bytes of one request; what follows waits until that request is
/// answered, and meanwhile nothing is read from the socket. A client that pipelines thousands of requests gets a few
/// answers in a turn (``Turns``), and other clients theirs between two turns.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private enum Phase {
        /// Between two requests.
        case idle
        /// From the first byte of a request to its last.
        case reading
        /// The request is complete, its answer not yet written.
        case answering
        /// The last answer is written; what still arrives is dropped.
        case closing
    }

    private let limits: ConnectionLimits
    private let turns: Turns
    /// Told whether a request is under way.
    private let place: OpenConnection?
    private var phase = Phase.idle
    /// When the phase must end.
    private var phaseDeadline: NIODeadline?
    /// When the oldest unsent bytes must have left.
    private var answerDeadline: NIODeadline?
    private var timer = ConnectionTimer()
    /// Bytes that arrived and were not yet given to the decoder.
    private var waiting: ByteBuffer?
    private var split = RequestSplit()
    private var unflushed = UnflushedBytes()
    /// What was flushed, and the system has not taken.
    private var unsentBytes = 0
    /// The pipeline asked for bytes, and this handler did not pass that on.
    private var readIsWaiting = false
    /// The client has closed its side, and the decoder does not know it yet.
    private var endIsWaiting = false
    /// The server is being stopped: no further request.
    private var isDraining = false
    private var isTurnScheduled = false
    private var isFeeding = false

    init(limits: ConnectionLimits, turns: Turns, place: OpenConnection?) {
        self.place = place
        self.limits = limits
        self.turns = turns
    }

    // MARK: What comes in

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { enter(.idle, context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(.idle, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .closing else { return }
        var bytes = unwrapInboundIn(data)
        if waiting == nil {
            waiting = bytes
        } else {
            waiting?.writeBuffer(&bytes)
        }
        if phase == .answering, waiting?.readableBytes ?? 0 > limits.waitingBytesMax { abort(context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        feed(context)
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if phase == .closing || (waiting == nil && phase != .answering) {
            context.read()
        } else {
            readIsWaiting = true
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isDraining = true
            if phase == .idle { setPhaseDeadline(.now() + limits.farewell, context) }
        } else if let event = event as? ConnectionEvent, event == .roomWanted {
            if phase == .idle, waiting == nil, unsentBytes == 0 { return context.close(promise: nil) }
            // A request has begun meanwhile: it is answered, and is the last one.
            return userInboundEventTriggered(context: context, event: ChannelShouldQuiesceEvent())
        } else if let event = event as? ChannelEvent, event == .inputClosed {
            endIsWaiting = true
            guard phase != .answering, waiting == nil else { return }
            return passEnd(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Gives the decoder the rest of this request, or the whole next one.
    private func feed(_ context: ChannelHandlerContext) {
        var requests = 0
        var isTurnOver = false
        isFeeding = true
        while phase == .idle || phase == .reading, unsentBytes <= limits.answerBytesMax, var bytes = waiting {
            isTurnOver = phase == .idle && requests == limits.requestsPerTurn
            if isTurnOver { break }
            guard let part = split.next(of: &bytes) else { break }
            waiting = bytes.readableBytes == 0 ? nil : bytes
            if phase == .idle {
                requests += 1
                enter(.reading, context)
            }
            context.fireChannelRead(wrapInboundOut(part))
        }
        isFeeding = false
        if isTurnOver { scheduleTurn(context) }
        guard waiting == nil, phase != .answering else { return }
        if endIsWaiting { passEnd(context) }
        if readIsWaiting {
            readIsWaiting = false
            context.read()
        }
    }

    private func passEnd(_ context: ChannelHandlerContext) {
        endIsWaiting = false
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// Continues with what waits. Of an answer that was made at once, the loop in ``feed(_:)`` goes on by itself.
    private func scheduleTurn(_ context: ChannelHandlerContext) {
        guard !isFeeding, !isTurnScheduled, waiting != nil || readIsWaiting || endIsWaiting else { return }
        isTurnScheduled = true
        let turn = {
            self.isTurnScheduled = false
            guard context.channel.isActive else { return }
            self.feed(context)
            context.fireChannelReadComplete()
        }
        if waiting == nil {
            context.eventLoop.assumeIsolated().execute(turn)
        } else {
            turns.add(turn)
        }
    }

    // MARK: What goes out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        if promise == nil, unflushed.join(part) { return }
        send(context)
        pass(data, of: part.readableBytes, promise, context)
    }

    func flush(context: ChannelHandlerContext) {
        send(context)
        context.flush()
    }

    private func send(_ context: ChannelHandlerContext) {
        guard let bytes = unflushed.take() else { return }
        pass(wrapOutboundOut(.byteBuffer(bytes)), of: bytes.readableBytes, nil, context)
    }

    private func pass(
        _ data: NIOAny, of count: Int, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) {
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        unsentBytes += count
        if answerDeadline == nil { setAnswerDeadline(.now() + limits.answer, context) }
        sent.futureResult.assumeIsolated().whenComplete { _ in self.wrote(count, context) }
        context.write(data, promise: sent)
    }

    private func wrote(_ count: Int, _ context: ChannelHandlerContext) {
        unsentBytes -= count
        guard context.channel.isActive else { return }
        setAnswerDeadline(unsentBytes > 0 ? .now() + limits.answer : nil, context)
        guard unsentBytes <= limits.answerBytesMax else { return }
        if phase == .closing {
            closeIfSent(context)
        } else {
            scheduleTurn(context)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let event = event as? ConnectionEvent else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch event {
        case .bodyFollows(let bytes): split.expectBody(of: bytes)
        case .requestRead where phase == .reading: enter(.answering, context)
        case .answerWritten(let isLast) where phase != .closing:
            enter(isLast || isDraining ? .closing : .idle, context)
        case .requestRead, .answerWritten, .requestTimedOut, .roomWanted: break
        }
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output, phase != .closing {
            waiting = nil
            phase = .closing
            setPhaseDeadline(.now() + limits.linger, context)
        }
        context.close(mode: mode, promise: promise)
    }

    /// Closes the server's side; the client's side is read for a moment longer.
    private func closeIfSent(_ context: ChannelHandlerContext) {
        guard unsentBytes == 0, unflushed.isEmpty else { return }
        setPhaseDeadline(.now() + limits.linger, context)
        context.close(mode: .output, promise: nil)
        readIsWaiting = false
        context.read()
    }

    /// Closes at once, and makes the system drop what the client did not take.
    private func abort(_ context: ChannelHandlerContext) {
        phase = .closing
        context.channel.reset()
    }

    // MARK: Time

    private func enter(_ next: Phase, _ context: ChannelHandlerContext) {
        phase = next
        place?.enters(isIdle: next == .idle, at: .now())
        switch next {
        case .idle:
            setPhaseDeadline(.now() + (isDraining ? limits.farewell : limits.idle), context)
            scheduleTurn(context)
        case .reading: setPhaseDeadline(.now() + limits.request, context)
        case .answering: setPhaseDeadline(nil, context)
        case .closing:
            waiting = nil
            setPhaseDeadline(nil, context)
            closeIfSent(context)
        }
    }

    private func setPhaseDeadline(_ deadline: NIODeadline?, _ context: ChannelHandlerContext) {
        phaseDeadline = deadline
        schedule(deadline, context)
    }

    private func setAnswerDeadline(_ deadline: NIODeadline?, _ context: ChannelHandlerContext) {
        answerDeadline = deadline
        schedule(deadline, context)
    }

    private func schedule(_ deadline: NIODeadline?, _ context: ChannelHandlerContext) {
        guard let deadline, context.channel.isActive else { return }
        timer.set(at: deadline, on: context.eventLoop) {
            self.timer.clear()
            self.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        let now = NIODeadline.now()
        if let answerDeadline, answerDeadline <= now { return abort(context) }
        if let phaseDeadline, phaseDeadline <= now {
            self.phaseDeadline = nil
            switch phase {
            case .reading: context.fireUserInboundEventTriggered(ConnectionEvent.requestTimedOut)
            // Unsent bytes have a deadline of their own.
            case .idle where unsentBytes > 0: self.phaseDeadline = now + limits.idle
            case .idle, .closing: return context.close(promise: nil)
            case .answering: break
            }
        }
        schedule([phaseDeadline, answerDeadline].compactMap(\.self).min(), context)
    }

    private func end() {
        timer.clear()
        (waiting, unflushed) = (nil, UnflushedBytes())
        phase = .closing
    }
}
