internal import KeyturnBase

/// The events that wait to be written, in the order in which they came. Anybody can make refusals by the thousand; so
/// they have a share of the room, and give it up to other events when there is no more: a flood of refusals hides no
/// deed.
struct AuditBuffer: Sendable {
    private(set) var events: [AuditEvent] = []
    private var refusals = 0
    /// What was dropped since it was last asked, by whether it was a refusal.
    private(set) var droppedRefusals = 0
    private(set) var droppedDeeds = 0

    var count: Int { events.count }

    mutating func add(_ event: AuditEvent) {
        if event.kind.isRefusal {
            guard refusals < Limits.auditRefusalsMax, events.count < Limits.auditBacklogMax else {
                droppedRefusals += 1
                return
            }
            refusals += 1
        } else if events.count >= Limits.auditBacklogMax {
            makeRoom()
            guard events.count < Limits.auditBacklogMax else {
                droppedDeeds += 1
                return
            }
        }
        events.append(event)
    }

    /// Takes out everything, to be written.
    mutating func take() -> [AuditEvent] {
        defer {
            events = []
            refusals = 0
        }
        return events
    }

    /// Puts back what could not be written, before what came meanwhile.
    mutating func putBack(_ older: [AuditEvent]) {
        let newer = take()
        for event in older + newer { add(event) }
    }

    /// How many events were dropped since the last call.
    mutating func takeDropped() -> (refusals: Int, deeds: Int) {
        defer { (droppedRefusals, droppedDeeds) = (0, 0) }
        return (droppedRefusals, droppedDeeds)
    }

    /// Drops the newest refusals: how a flood began says more than how it went on. Several at once, since each looks
    /// through all.
    private mutating func makeRoom() {
        var kept: [AuditEvent] = []
        kept.reserveCapacity(events.count)
        var left = min(refusals, Limits.auditRefusalsDroppedAtOnce)
        for event in events.reversed() {
            if left > 0, event.kind.isRefusal {
                left -= 1
                refusals -= 1
                droppedRefusals += 1
            } else {
                kept.append(event)
            }
        }
        events = kept.reversed()
    }
}
