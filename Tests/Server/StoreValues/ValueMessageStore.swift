internal import KeyturnBase
internal import Model

/// The queue of messages. A row is due at a moment; a claim moves that moment to the end of its lease.
struct ValueMessageStore: MessageStore {
    let database: ValueDatabase

    func enqueue(_ messages: [WaitingMessage]) throws(StoreError) {
        try database.write { world in
            for message in messages { world.enqueue(message) }
        }
    }

    func hasDue(at now: UnixTime) throws(StoreError) -> Bool {
        try database.read { world in world.messages.contains { $0.isDue(at: now) } }
    }

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) throws(StoreError) -> [MessageClaim] {
        try database.write { world in
            let due = world.messages.indices.filter { world.messages[$0].isDue(at: now) }
            let first = due.sorted { one, other in
                let (left, right) = (world.messages[one].dueAt ?? now, world.messages[other].dueAt ?? now)
                return left == right ? one < other : left < right
            }.prefix(limit)
            let claims = first.map { index in
                world.messages[index].dueAt = now + leaseSeconds
                world.messages[index].attempts += 1
                world.messages[index].state = .sending
                return MessageClaim(message: world.messages[index].told, attempt: world.messages[index].attempts)
            }
            return claims.sorted { $0.message.createdAt < $1.message.createdAt }
        }
    }

    func finish(_ claim: MessageClaim, _ end: MessageEnd, keepsContent: Bool, at now: UnixTime) throws(StoreError)
        -> Bool
    {
        try change(claim) { row in
            row.dueAt = nil
            row.finishedAt = now
            row.state = .finished(end)
            row.reason = if case .dead(let reason) = end { reason } else { nil }
            row.hasContent = row.hasContent && keepsContent
        }
    }

    func postpone(_ claim: MessageClaim, until due: UnixTime, reason: String) throws(StoreError) -> Bool {
        try change(claim) { row in
            row.dueAt = due
            row.state = .waiting
            row.reason = reason
        }
    }

    private func change(_ claim: MessageClaim, _ rule: (inout MessageRow) -> Void) throws(StoreError) -> Bool {
        try database.write { world in
            let index = world.messages.firstIndex {
                $0.message.id == claim.message.id && $0.attempts == claim.attempt && $0.finishedAt == nil
            }
            guard let index else { return false }
            rule(&world.messages[index])
            return true
        }
    }

    func newest(limit: Int) throws(StoreError) -> [WaitingMessage] {
        try database.read { world in
            world.messages.filter { $0.hasContent && !$0.message.isDecoy }.suffix(limit).map(\.message)
        }
    }

    func waiting(limit: Int) throws(StoreError) -> [QueuedMessage] {
        try database.read { world in
            let waiting = world.messages.filter { $0.dueAt != nil && !$0.message.isDecoy }
            return waiting.reversed().prefix(limit).compactMap(\.queued)
        }
    }

    func retry(_ id: MessageID, at now: UnixTime) throws(StoreError) -> Bool {
        try database.write { world in
            let index = world.messages.firstIndex {
                $0.message.id == id && $0.state == .waiting && $0.reason != nil && !$0.isDue(at: now)
            }
            guard let index else { return false }
            world.messages[index].dueAt = now
            return true
        }
    }

    func deadLetters(limit: Int) throws(StoreError) -> [DeadLetter] {
        try database.read { world in
            let dead = world.messages.compactMap(\.deadLetter).enumerated().sorted { one, other in
                let (left, right) = (one.element.finishedAt, other.element.finishedAt)
                return left == right ? one.offset > other.offset : left > right
            }
            return dead.prefix(limit).map(\.element)
        }
    }
}

extension StoreWorld {
    /// A message whose identifier is there already changes nothing.
    mutating func enqueue(_ message: WaitingMessage) {
        guard !messages.contains(where: { $0.message.id == message.id }) else { return }
        messages.append(
            MessageRow(message: message, dueAt: message.createdAt, attempts: 0, state: .waiting, hasContent: true))
    }
}

extension MessageRow {
    fileprivate func isDue(at now: UnixTime) -> Bool { dueAt.map { $0 <= now } ?? false }

    /// The message with what is left of it.
    fileprivate var told: WaitingMessage {
        guard !hasContent else { return message }
        return WaitingMessage(
            id: message.id, kind: message.kind, channel: message.channel, sealed: [], isDecoy: message.isDecoy,
            createdAt: message.createdAt, expiresAt: message.expiresAt)
    }

    fileprivate var queued: QueuedMessage? {
        guard let dueAt else { return nil }
        let state = reason.map(QueuedMessage.State.failed) ?? .waiting
        return QueuedMessage(
            id: message.id, kind: message.kind, channel: message.channel, attempts: attempts,
            state: self.state == .sending ? .sending : state, createdAt: message.createdAt, dueAt: dueAt,
            expiresAt: message.expiresAt)
    }

    fileprivate var deadLetter: DeadLetter? {
        guard case .finished(.dead(let reason)) = state, let finishedAt else { return nil }
        return DeadLetter(
            id: message.id, kind: message.kind, channel: message.channel, attempts: attempts, reason: reason,
            finishedAt: finishedAt)
    }
}
