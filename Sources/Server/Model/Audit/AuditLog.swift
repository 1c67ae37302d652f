internal import Synchronization
public import KeyturnBase

/// Where events are recorded. Recording never waits and never fails the request.
public protocol AuditLog: Sendable {
    func record(_ event: AuditEvent)

    /// Records an event that callers can repeat: of equal events from one network, the first of a minute, and behind
    /// the minute how many more there were.
    ///
    /// - Returns: Whether it was the first.
    @discardableResult
    func recordOnce(_ event: AuditEvent) -> Bool
}

/// Collects events in memory until ``flush(isLast:)`` writes them: once a second, and once more at the end.
public final class BufferedAuditLog: AuditLog {
    private struct State: Sendable {
        var buffer = AuditBuffer()
        var repeats = AuditRepeats()
        /// What was dropped, and is in the log already.
        var dropped = (refusals: 0, others: 0)
    }

    private let state = Mutex(State())
    private let store: any AuditStore
    private let now: (@Sendable () -> UnixTime)?
    private let onEvent: @Sendable (AuditEvent) -> Void

    /// - Parameters:
    ///   - now: ends a minute of repeated events; `nil`: the next such event does.
    ///   - onEvent: called with each event, also with each one that is not recorded because it was repeated; must not
    ///     wait.
    public init(
        store: any AuditStore, now: (@Sendable () -> UnixTime)? = nil,
        onEvent: @escaping @Sendable (AuditEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.now = now
        self.onEvent = onEvent
    }

    /// Events that are not written yet.
    package var backlog: Int { state.withLock { $0.buffer.count } }

    public func record(_ event: AuditEvent) {
        let event = AuditOrigin.address.map(event.asked(from:)) ?? event
        onEvent(event)
        state.withLock { $0.buffer.add(event) }
    }

    @discardableResult
    public func recordOnce(_ event: AuditEvent) -> Bool {
        let event = AuditOrigin.address.map(event.asked(from:)) ?? event
        onEvent(event)
        return state.withLock { state in
            let (isFirst, told) = state.repeats.note(event)
            for event in told { state.buffer.add(event) }
            if isFirst { state.buffer.add(event) }
            return isFirst
        }
    }

    /// Writes the collected events. Those that cannot be written are kept for the next time.
    ///
    /// - Parameter isLast: nothing is written after it: the minute is not awaited.
    /// - Returns: how many events were dropped since the last call, because too many came, or the store was
    ///   unavailable for too long.
    public func flush(isLast: Bool = false) async throws(StoreError) -> (refusals: Int, others: Int) {
        try await write(isLast: isLast)
        return state.withLock { state in
            defer { state.dropped = (0, 0) }
            return state.dropped
        }
    }

    /// Writes the collected events. Those that cannot be written are kept for the next time.
    package func write(isLast: Bool = false) async throws(StoreError) {
        let time = now?()
        let events = state.withLock { state in
            let told = isLast ? state.repeats.end() : time.map { state.repeats.end(at: $0) } ?? []
            for event in told { state.buffer.add(event) }
            let dropped = state.buffer.takeDropped()
            state.dropped.refusals += dropped.refusals
            state.dropped.others += dropped.deeds
            let events = state.buffer.take()
            guard let end = time ?? events.last?.at else { return events }
            return events + AuditEvent.dropped(dropped.refusals, "refusals", at: end)
                + AuditEvent.dropped(dropped.deeds, "events", at: end)
        }
        guard !events.isEmpty else { return }
        do {
            try await store.append(events)
        } catch {
            state.withLock { $0.buffer.putBack(events) }
            throw error
        }
    }
}
