internal import NIOCore

/// The body of a request whose route reads it while it arrives. On the connection's event loop, but for ``bytes``.
final class StreamedBody {
    typealias Producer = NIOThrowingAsyncSequenceProducer<
        ByteBuffer, any Error, NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark, Demand
    >

    /// What the route reads.
    let bytes: Producer
    private let source: Producer.Source
    private let demand: Demand

    /// The client is gone, or the answer is there before the body is.
    struct Incomplete: Error {}

    /// - Parameter first: what has arrived.
    init(_ first: ByteBuffer, on context: ChannelHandlerContext) {
        demand = Demand(on: context.eventLoop)
        let made = Producer.makeSequence(
            elementType: ByteBuffer.self, failureType: (any Error).self,
            // In parts, each of which is one read of the socket at most.
            backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8), finishOnDeinit: true, delegate: demand)
        (bytes, source) = (made.sequence, made.source)
        if first.readableBytes > 0 { take(first) }
    }

    /// Whether the route has yet to read what is there.
    var isFull: Bool { demand.isFull }

    func take(_ part: ByteBuffer) {
        if case .stopProducing = source.yield(part) { demand.stop() }
    }

    func end() {
        source.finish()
    }

    func fail() {
        source.finish(Incomplete())
    }

    /// Calls `action` once, when the route has read what is there.
    func whenRead(_ action: @escaping () -> Void) {
        demand.waiting = action
    }

    /// How much the route wants. Called by the sequence on any thread. Unchecked, because its variables are used on the
    /// event loop alone.
    final class Demand: NIOAsyncSequenceProducerDelegate, @unchecked Sendable {
        private let loop: any EventLoop
        private(set) var isFull = false
        var waiting: (() -> Void)?

        init(on loop: any EventLoop) {
            self.loop = loop
        }

        func stop() {
            isFull = true
        }

        func produceMore() { loop.execute { self.resume() } }

        func didTerminate() { loop.execute { self.resume() } }

        private func resume() {
            isFull = false
            let action = waiting
            waiting = nil
            action?()
        }
    }
}
