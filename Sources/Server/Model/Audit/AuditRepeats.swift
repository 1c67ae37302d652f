internal import KeyturnBase

/// Joins equal events of a minute: the first is recorded at once, and behind the minute the last one, which says how
/// many came. A caller who repeats a refused request a thousand times makes two rows.
struct AuditRepeats: Sendable {
    private struct Repeats: Sendable {
        var number = 0
        var last: AuditEvent
    }

    private var seen: [AuditEvent: Repeats] = [:]
    private var minute: Int64 = 0

    /// Notes an event.
    ///
    /// - Returns: whether it is the first of its kind in its minute; and what is to be told of an earlier minute, or of
    ///   this one if there are too many kinds to remember.
    mutating func note(_ event: AuditEvent) -> (isFirst: Bool, told: [AuditEvent]) {
        let now = event.at.rawValue / 60
        var told: [AuditEvent] = []
        if minute != now || seen.count >= Limits.auditRepeatsMax {
            told = end()
            minute = now
        }
        let kind = event.ofItsNetwork.timeless
        guard seen[kind] != nil else {
            seen[kind] = Repeats(last: event)
            return (true, told)
        }
        seen[kind]?.number += 1
        seen[kind]?.last = event
        return (false, told)
    }

    /// What is to be told of a minute that is over.
    mutating func end(at now: UnixTime) -> [AuditEvent] { minute == now.rawValue / 60 ? [] : end() }

    /// What is to be told, whether the minute is over or not. In the order in which it happened.
    mutating func end() -> [AuditEvent] {
        defer { seen = [:] }
        return seen.values.filter { $0.number > 0 }.sorted { $0.last.at < $1.last.at }
            .map { $0.last.repeated($0.number) }
    }
}

extension AuditEvent {
    /// The field of ``changes`` that says how often an event came.
    package static let repeatsField = "repeated"

    /// The event, which stands for so many of its kind. The number is about no user, so it needs no salt that would
    /// hide it.
    func repeated(_ number: Int) -> AuditEvent {
        let count = AuditChange(field: Self.repeatsField, before: nil, after: String(number))
        let list = (changes?.list ?? []).prefix(Limits.auditChangesMax - 1) + [count]
        return with(
            address: address,
            changes: AuditChanges(
                list.sorted { $0.field < $1.field },
                salt: changes?.salt ?? [UInt8](repeating: 0, count: Limits.auditSaltBytes)))
    }

    /// Tells that events were not written; nothing if none were.
    static func dropped(_ number: Int, _ what: String, at time: UnixTime) -> [AuditEvent] {
        number == 0 ? [] : [AuditEvent(.eventsDropped, at: time, reason: what).repeated(number)]
    }

    /// The event with the network of its address in the place of the address: one sender has all addresses of a
    /// network, and must not make a row for each.
    fileprivate var ofItsNetwork: AuditEvent {
        with(address: address.map { NetworkAddress($0).network }, changes: changes)
    }

    private func with(address: String?, changes: AuditChanges?) -> AuditEvent {
        AuditEvent(
            kind, at: at, userID: userID, clientID: clientID, sessionID: sessionID, address: address, reason: reason,
            actor: actor, target: target, changes: changes)
    }
}
