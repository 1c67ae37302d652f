internal import KeyturnBase
internal import Model

/// Audit events in the order in which they were recorded. They are in no chain.
struct ValueAuditStore: AuditStore {
    let database: ValueDatabase

    func append(_ events: [AuditEvent]) throws(StoreError) {
        try database.write { $0.append(events) }
    }

    func newest(limit: Int) throws(StoreError) -> [AuditEvent] {
        try database.read { world in world.audit.suffix(limit).reversed() }
    }

    func records(_ query: AuditQuery) throws(StoreError) -> [AuditRecord] {
        try database.read { world in
            var found = world.records.filter { query.matches($0) }
            if query.order == .newestFirst { found.reverse() }
            return Array(found.dropFirst(query.limit * query.page).prefix(query.limit))
        }
    }

    func count(_ query: AuditQuery) throws(StoreError) -> Int {
        try database.read { world in world.records.count { query.matches($0) } }
    }

    func chain(after number: Int64, through last: Int64, limit: Int) -> [AuditRecord] {
        unused("audit.chain(after:through:limit:)")
    }

    func head() -> AuditHead { unused("audit.head()") }

    func add(_ checkpoint: AuditCheckpoint) { unused("audit.add(_:)") }

    func checkpoints() -> [AuditCheckpoint] { unused("audit.checkpoints()") }

    func remove(before moment: UnixTime, limit: Int, at now: UnixTime) -> Int {
        unused("audit.remove(before:limit:at:)")
    }
}

extension StoreWorld {
    /// What events changed is not kept of a user who is gone.
    mutating func append(_ events: [AuditEvent]) {
        for event in events {
            let isGone = event.userID.map { users[$0] == nil } ?? false
            audit.append(isGone ? event.withoutChanges : event)
        }
    }

    fileprivate var records: [AuditRecord] {
        audit.enumerated().map { index, event in
            let row = event.userID.flatMap { users[$0] }
            return AuditRecord(
                number: Int64(index + 1), event: event,
                loginIDs: (row?.identifiers.keys.map(\.value) ?? []).sorted(),
                tenants: (row?.memberships.tenants.keys.map(\.self) ?? []).sorted())
        }
    }
}

extension AuditEvent {
    var withoutChanges: AuditEvent {
        guard changes != nil else { return self }
        return AuditEvent(
            kind, at: at, userID: userID, clientID: clientID, sessionID: sessionID, address: address, reason: reason,
            actor: actor, target: target)
    }
}

extension AuditQuery {
    fileprivate func matches(_ record: AuditRecord) -> Bool {
        let event = record.event
        func isAny<Value: Equatable>(_ value: Value?, of list: [Value]) -> Bool {
            list.isEmpty || value.map(list.contains) ?? false
        }
        return isAny(event.kind, of: kinds) && !excludedKinds.contains(event.kind) && isAny(event.userID, of: users)
            && isAny(event.clientID, of: clients) && isAny(event.actor, of: actors)
            && isAny(event.address, of: addresses) && matchesUser(record) && matchesMethods(event)
            && (from.map { event.at >= $0 } ?? true) && (to.map { event.at <= $0 } ?? true)
            && (after.map { record.number > $0 } ?? true) && (before.map { record.number < $0 } ?? true)
            && (text.map { event.words.joined(separator: " ").contains($0) } ?? true)
    }

    private func matchesUser(_ record: AuditRecord) -> Bool {
        guard loginIDs.isEmpty || loginIDs.contains(where: { record.loginIDs.contains($0.value) }) else { return false }
        guard !tenants.isEmpty else { return true }
        return tenants.contains(where: record.tenants.contains) || includesNoTenant && record.tenants.isEmpty
    }

    private func matchesMethods(_ event: AuditEvent) -> Bool {
        guard !methods.isEmpty else { return true }
        let words = (event.reason ?? "").split(separator: " ").map(String.init)
        return event.kind == .signedIn && methods.contains(where: words.contains)
    }
}

extension AuditEvent {
    fileprivate var words: [String] {
        [
            kind.rawValue, reason ?? "", address ?? "", target ?? "", userID?.rawValue ?? "", clientID ?? "",
            actor ?? "",
        ]
    }
}
