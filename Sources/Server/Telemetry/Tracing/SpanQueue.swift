internal import CoreMetrics
internal import Synchronization

/// Finished spans that wait for their export: few, because what the collector does not take must not fill the memory.
///
/// Adding never waits. When the queue is full the newest span is dropped, and counted.
final class SpanQueue: Sendable {
    private let spans = Mutex<[FinishedSpan]>([])
    private let spansMax: Int
    private let dropped: Counter

    init(spansMax: Int, dropped: Counter) {
        self.spansMax = spansMax
        self.dropped = dropped
    }

    var count: Int { spans.withLock { $0.count } }

    func add(_ span: FinishedSpan) {
        let isKept = spans.withLock { spans in
            guard spans.count < spansMax else { return false }
            spans.append(span)
            return true
        }
        if !isKept { dropped.increment() }
    }

    /// Puts spans that were taken before the others again; the newest that do not fit are dropped.
    func putBack(_ taken: [FinishedSpan]) {
        let excess = spans.withLock { spans in
            spans = taken + spans
            let excess = max(0, spans.count - spansMax)
            spans.removeLast(excess)
            return excess
        }
        if excess > 0 { dropped.increment(by: excess) }
    }

    /// Takes the oldest spans.
    func take(upTo max: Int) -> [FinishedSpan] {
        spans.withLock { spans in
            let taken = Array(spans.prefix(max))
            spans.removeFirst(taken.count)
            return taken
        }
    }
}
