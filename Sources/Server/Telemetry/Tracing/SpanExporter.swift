package import CoreMetrics
internal import KeyturnBase

/// What became of a request to the collector.
package enum SpanDelivery: Hashable, Sendable {
    case accepted
    /// It may be sent again (OTLP/HTTP: 429, 502, 503, 504, or no answer), after so many seconds if the collector said so.
    case later(seconds: Int?)
    /// It would be refused again.
    case refused(status: Int)
}

/// Carries spans to the collector.
package protocol SpanTransport: Sendable {
    /// Posts one `ExportTraceServiceRequest` in JSON.
    func send(_ body: [UInt8]) async -> SpanDelivery
}

/// Sends finished spans in batches, beside the requests.
///
/// A batch that the collector does not take is sent again after a pause, which doubles, at most ``triesMax`` times. What
/// cannot be sent is dropped and counted. No request waits for any of it.
package final class SpanExporter: Sendable {
    /// Spans that wait at most; about 1 KB each.
    package static let queueMax = 2_048
    /// Spans in one request at most.
    static let batchMax = 512
    /// Requests for one batch.
    static let triesMax = 5
    /// How long spans wait for others, in milliseconds.
    static let intervalMilliseconds = 2_000
    /// The first pause, and the longest that the collector may ask for, in seconds.
    static let pauseSeconds = (first: 1, longest: 30)

    let queue: SpanQueue
    private let resource: [String: String]
    private let transport: any SpanTransport
    private let onRefusal: @Sendable (SpanDelivery) -> Void
    private let exported: Counter
    private let failed: Counter
    private let pause: @Sendable (Duration) async -> Void

    /// - Parameters:
    ///   - resource: what all spans have in common, such as `service.name`.
    ///   - transport: carries them.
    ///   - factory: counts what was sent and what was dropped.
    ///   - onRefusal: called for each batch that is dropped.
    ///   - pause: waits.
    package init(
        resource: [String: String], transport: any SpanTransport, factory: any MetricsFactory = MetricsSystem.factory,
        onRefusal: @escaping @Sendable (SpanDelivery) -> Void = { _ in },
        pause: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.resource = resource
        self.transport = transport
        self.onRefusal = onRefusal
        self.pause = pause
        func dropped(_ reason: String) -> Counter {
            Counter(label: ServerMetrics.spansDropped, dimensions: [("reason", reason)], factory: factory)
        }
        exported = Counter(label: ServerMetrics.spansExported, factory: factory)
        failed = dropped("not_sent")
        queue = SpanQueue(spansMax: Self.queueMax, dropped: dropped("queue_full"))
    }

    /// Sends until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            if queue.count < Self.batchMax { await pause(.milliseconds(Self.intervalMilliseconds)) }
            await sendBatch(triesMax: Self.triesMax)
        }
    }

    /// Sends what is left, and tries each batch once.
    package func flush() async {
        while queue.count > 0, !Task.isCancelled { await sendBatch(triesMax: 1) }
    }

    /// Sends the oldest spans that wait.
    func sendBatch(triesMax: Int) async {
        let batch = queue.take(upTo: Self.batchMax)
        guard !batch.isEmpty else { return }
        let body = OTLPRequest.body(batch, resource: resource)
        var pauseSeconds = Self.pauseSeconds.first
        for number in 1...triesMax {
            // Left for the end, which is not cancelled.
            guard !Task.isCancelled else { return queue.putBack(batch) }
            let delivery = await transport.send(body)
            switch delivery {
            case .accepted: return exported.increment(by: batch.count)
            case .later where Task.isCancelled: return queue.putBack(batch)
            case .later(let seconds) where number < triesMax:
                await pause(.seconds(min(seconds ?? pauseSeconds, Self.pauseSeconds.longest)))
                pauseSeconds = min(pauseSeconds * 2, Self.pauseSeconds.longest)
            case .later, .refused:
                failed.increment(by: batch.count)
                return onRefusal(delivery)
            }
        }
    }
}
