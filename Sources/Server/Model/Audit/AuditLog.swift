internal import Synchronization
internal import KeyturnBase

/// Where events are recorded. Recording never waits and never fails the request.
public protocol AuditLog: Sendable {
    func record(_ event: AuditEvent)

    /// Records an event that programs repeat: equal events are recorded once a minute.
    ///
    /// - Returns: Whether it was recorded.
    @discardableResult
    func recordOnce(_ event: AuditEvent) -> Bool
}

/// Collects events in memory until ``flush()`` writes them: once a second, and once more at the end.
public final class BufferedAuditLog: AuditLog {
    private struct State: Sendable {
        var events: [AuditEvent] = []
        var dropped = 0
        /// The events recorded in this minute, without their time.
        var seen: Set<AuditEvent> = []
        var minute: Int64 = 0
    }

    private let state = Mutex(State())
    private let store: any AuditStore
    private let onEvent: @Sendable (AuditEvent) -> Void

    /// - Parameter onEvent: called with each event that is recorded; must not wait.
    public init(store: any AuditStore, onEvent: @escaping @Sendable (AuditEvent) -> Void = { _ in }) {
        self.store = store
        self.onEvent = onEvent
    }

    /// Events that are not written yet.
    package var backlog: Int { state.withLock { $0.events.count } }

    public func record(_ event: AuditEvent) {
        let event = AuditOrigin.address.map(event.asked(from:)) ?? event
        onEvent(event)
        state.withLock { state in
            if state.events.count < Limits.auditBacklogMax {
                state.events.append(event)
            } else {
                state.dropped += 1
            }
        }
    }

    @discardableResult
    public func recordOnce(_ event: AuditEvent) -> Bool {
        let minute = event.at.rawValue / 60
        let isNew = state.withLock { state in
            if state.minute != minute || state.seen.count >= Limits.auditRepeatsMax {
                state.minute = minute
                state.seen = []
            }
            return state.seen.insert(event.timeless).inserted
        }
        if isNew { record(event) }
        return isNew
    }

    /// Writes the collected events. Those that cannot be written are kept for the next time.
    ///
    /// - Returns: how many events were dropped since the last call, because the store was unavailable for too long.
    public func flush() async throws(StoreError) -> Int {
        try await write()
        return state.withLock { state in
            defer { state.dropped = 0 }
            return state.dropped
        }
    }

    /// Writes the collected events. Those that cannot be written are kept for the next time.
    package func write() async throws(StoreError) {
        let events = state.withLock { state in
            defer { state.events = [] }
            return state.events
        }
        guard !events.isEmpty else { return }
        do {
            try await store.append(events)
        } catch {
            state.withLock { state in
                state.events.insert(contentsOf: events.prefix(Limits.auditBacklogMax - state.events.count), at: 0)
            }
            throw error
        }
    }
}
