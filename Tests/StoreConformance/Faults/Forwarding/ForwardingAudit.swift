import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingAuditStore: AuditStore {
    var base: any AuditStore { get }
}

extension ForwardingAuditStore {
    func append(_ events: [AuditEvent]) async throws(StoreError) {
        try await base.append(events)
    }

    func newest(limit: Int) async throws(StoreError) -> [AuditEvent] {
        try await base.newest(limit: limit)
    }

    func records(_ query: AuditQuery) async throws(StoreError) -> [AuditRecord] {
        try await base.records(query)
    }

    func chain(after number: Int64, through last: Int64, limit: Int) async throws(StoreError) -> [AuditRecord] {
        try await base.chain(after: number, through: last, limit: limit)
    }

    func count(_ query: AuditQuery) async throws(StoreError) -> Int {
        try await base.count(query)
    }

    func head() async throws(StoreError) -> AuditHead {
        try await base.head()
    }

    func add(_ checkpoint: AuditCheckpoint) async throws(StoreError) {
        try await base.add(checkpoint)
    }

    func checkpoints() async throws(StoreError) -> [AuditCheckpoint] {
        try await base.checkpoints()
    }

    func remove(before moment: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> Int {
        try await base.remove(before: moment, limit: limit, at: now)
    }
}
