import KeyturnBase
import Testing

@testable import Model

@Suite("Audit events that wait, and a flood of refusals")
struct AuditBufferTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func refusal(_ number: Int = 0, at seconds: Int64 = 0) -> AuditEvent {
        AuditEvent(.signInFailed, at: now + seconds, address: "192.0.2.1", target: "\(number)")
    }

    private func deed(_ number: Int = 0) -> AuditEvent { AuditEvent(.operatorGranted, at: now, target: "\(number)") }

    @Test func `a flood of refusals drops no deed, before it, in it or behind it`() {
        var buffer = AuditBuffer()
        buffer.add(deed(0))
        for number in 0..<50_000 {
            buffer.add(refusal(number))
            if number % 10_000 == 0 { buffer.add(deed(1 + number / 10_000)) }
        }
        buffer.add(deed(6))
        let kept = buffer.events
        #expect(kept.filter { $0.kind == .operatorGranted }.compactMap(\.target) == (0...6).map(String.init))
        #expect(kept.filter { $0.kind == .signInFailed }.count == Limits.auditRefusalsMax)
        #expect(kept[1].target == "0", "the flood's beginning is what is kept")
        #expect(buffer.droppedRefusals == 50_000 - Limits.auditRefusalsMax && buffer.droppedDeeds == 0)
    }

    @Test func `deeds take all of the room, refusals first give way, and what is dropped is counted`() {
        var buffer = AuditBuffer()
        for number in 0..<Limits.auditRefusalsMax { buffer.add(refusal(number)) }
        for number in 0..<Limits.auditBacklogMax { buffer.add(deed(number)) }
        #expect(buffer.count == Limits.auditBacklogMax)
        #expect(buffer.events.allSatisfy { $0.kind == .operatorGranted } && buffer.droppedDeeds == 0)
        #expect(buffer.events.map(\.target) == (0..<Limits.auditBacklogMax).map { "\($0)" }, "in their order")
        #expect(buffer.droppedRefusals == Limits.auditRefusalsMax)
        buffer.add(deed())
        buffer.add(refusal())
        #expect(buffer.count == Limits.auditBacklogMax && buffer.droppedDeeds == 1)
        let dropped = buffer.takeDropped()
        #expect(dropped.refusals == Limits.auditRefusalsMax + 1 && dropped.deeds == 1)
        let again = buffer.takeDropped()
        #expect(again.refusals == 0 && again.deeds == 0)
    }

    @Test func `what could not be written comes before what came meanwhile`() {
        var buffer = AuditBuffer()
        for number in 0..<4 { buffer.add(number == 2 ? refusal(number) : deed(number)) }
        let taken = buffer.take()
        #expect(buffer.count == 0)
        buffer.add(deed(4))
        buffer.putBack(taken)
        #expect(buffer.events.compactMap(\.target) == ["0", "1", "2", "3", "4"])
    }

    @Test func `each kind of event that a stranger can make in number is a refusal`() {
        for kind: AuditEvent.Kind in [.signInFailed, .signInThrottled, .identityRefused, .clientRefused, .codeReplayed]
        {
            #expect(kind.isRefusal)
        }
        for kind: AuditEvent.Kind in [
            .signedIn, .operatorGranted, .connectionChanged, .passwordChanged, .userDeleted, .eventsDropped,
        ] { #expect(!kind.isRefusal) }
    }
}

@Suite("Audit events that a caller repeats")
struct AuditRepeatsTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func throttled(_ address: String?, at seconds: Int64 = 0, reason: String? = nil) -> AuditEvent {
        AuditEvent(.signInThrottled, at: now + seconds, address: address, reason: reason)
    }

    private func repeated(_ event: AuditEvent) -> String? {
        event.changes?.list.first { $0.field == AuditEvent.repeatsField }?.after
    }

    @Test func `three thousand of a minute are two rows, and the second says how many`() {
        var repeats = AuditRepeats()
        for number in 0..<3_000 {
            let (isFirst, told) = repeats.note(throttled("192.0.2.1", at: Int64(number % 60)))
            #expect(isFirst == (number == 0) && told.isEmpty)
        }
        #expect(repeats.end(at: now + 59).isEmpty, "the minute is not over")
        let told = repeats.end(at: now + 60)
        #expect(told.count == 1 && told.first.flatMap(repeated) == "2999")
        #expect(told.first?.kind == .signInThrottled && told.first?.address == "192.0.2.1")
        #expect(repeats.end().isEmpty, "it is told once")
        #expect(repeats.note(throttled("192.0.2.1", at: 60)).isFirst, "a new minute")
    }

    @Test func `the next minute tells of the one before, and one event alone is not told again`() {
        var repeats = AuditRepeats()
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.2"] { _ = repeats.note(throttled(address)) }
        let (isFirst, told) = repeats.note(throttled("192.0.2.1", at: 60))
        #expect(isFirst && told.map(\.address) == ["192.0.2.1"] && told.first.flatMap(repeated) == "1")
    }

    @Test func `one sender's network makes no row for each of its addresses`() {
        var repeats = AuditRepeats()
        let firsts = (1...500).filter { repeats.note(throttled("2001:db8:0:1::\(String($0, radix: 16))")).isFirst }
        #expect(firsts == [1])
        #expect(repeats.note(throttled("2001:db8:0:2::1")).isFirst)
        #expect(repeats.note(throttled(nil)).isFirst && !repeats.note(throttled(nil)).isFirst)
        #expect(repeats.note(throttled("2001:db8:0:1::1", reason: "locked")).isFirst, "another reason is another event")
        #expect(repeats.end().first { $0.address != nil }.flatMap(repeated) == "499")
    }

    @Test func `what an event changed stays beside the count`() {
        var repeats = AuditRepeats()
        let changes = AuditChanges([AuditChange(field: "scope", before: "a", after: "b")], salt: [1])
        for _ in 0..<3 { _ = repeats.note(AuditEvent(.clientChanged, at: now, clientID: "c", changes: changes)) }
        let told = repeats.end()
        #expect(told.first?.changes?.list.map(\.field) == ["repeated", "scope"] && told.first?.changes?.salt == [1])
    }

    @Test func `more kinds than are remembered begin anew, and lose no count`() {
        var repeats = AuditRepeats()
        for _ in 0..<5 { _ = repeats.note(throttled("192.0.2.1")) }
        var told: [AuditEvent] = []
        for number in 0..<Limits.auditRepeatsMax { told += repeats.note(throttled(nil, reason: "\(number)")).told }
        #expect(told.map(\.address) == ["192.0.2.1"] && told.first.flatMap(repeated) == "4")
    }
}
