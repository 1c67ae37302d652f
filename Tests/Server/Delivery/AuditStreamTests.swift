import KeyturnBase
import Model
import StoreSQL
import Synchronization
import Testing

@testable import Delivery

@Suite("Streams of audit events")
final class AuditStreamTests: Sendable {
    /// Takes batches, or refuses them as it was told.
    final class Receiver: AuditTransport {
        private let state: Mutex<(outcomes: [DeliveryOutcome], batches: [[AuditRecord]])>

        init(_ outcomes: [DeliveryOutcome] = [], eventsMax: Int = 100) {
            state = Mutex((outcomes, []))
            self.eventsMax = eventsMax
        }

        func takes(_ event: AuditEvent) -> Bool { event.kind != .roleCreated }

        let eventsMax: Int

        var batches: [[AuditRecord]] { state.withLock { $0.batches } }
        var targets: [String] { batches.flatMap { $0 }.compactMap(\.event.target) }

        func send(_ batch: AuditBatch) async -> DeliveryOutcome {
            state.withLock { state in
                let outcome = state.outcomes.isEmpty ? .sent : state.outcomes.removeFirst()
                if outcome == .sent { state.batches.append(batch.records) }
                return outcome
            }
        }

        func close() async {}
    }

    let stores: Stores
    let clock = Mutex(UnixTime(rawValue: 1_800_000_000))

    init() throws {
        stores = try SQLiteDatabase(path: nil).stores()
    }

    private func sender(_ receiver: Receiver, actions: [String] = []) -> AuditStreamSender {
        AuditStreamSender(
            [AuditStream(name: "siem", actions: actions, transport: receiver)], stores: stores,
            ambient: Ambient(clock: { [self] in clock.withLock { $0 } }, entropy: { [UInt8](repeating: 0, count: $0) })
        ) { _ in }
    }

    private func append(_ targets: ClosedRange<Int>, _ kind: AuditEvent.Kind = .tenantCreated) async throws {
        try await stores.audit.append(
            targets.map { AuditEvent(kind, at: UnixTime(rawValue: 1_800_000_000), target: "\($0)") })
    }

    @Test func `a new stream begins now, and gets every event from then on once and in order`() async throws {
        try await append(1...3)
        let receiver = Receiver()
        let sender = sender(receiver)
        await sender.sendAll()
        #expect(receiver.batches.isEmpty)
        try await append(4...253)
        await sender.sendAll()
        #expect(receiver.targets == (4...253).map(String.init))
        #expect(receiver.batches.map(\.count) == [100, 100, 50])
        await sender.sendAll()
        #expect(receiver.batches.count == 3)
        #expect(sender.counters.values["siem"]?.sent == 250 && sender.counters.values["siem"]?.waiting == 0)
    }

    @Test func `what a program does not take is sent again, whatever it answers, and by another process too`()
        async throws
    {
        let receiver = Receiver([
            .temporary(reason: "answered 503"), .permanent(reason: "answered 400"), .unreachable(reason: "no answer"),
        ])
        let first = sender(receiver)
        await first.sendAll()
        try await append(1...5)
        for _ in 1...2 { await first.sendAll() }
        #expect(first.counters.values["siem"]?.failures == 2 && first.counters.values["siem"]?.waiting == 5)
        let second = sender(receiver)
        for _ in 1...2 { await second.sendAll() }
        #expect(receiver.targets == (1...5).map(String.init))
    }

    @Test func `a stream that another node has is left alone until its time is over`() async throws {
        let receiver = Receiver()
        let now = clock.withLock { $0 }
        let claim = try await stores.auditStreams.claim("siem", beginningAfter: 0, until: now + 60, at: now)
        #expect(claim != nil)
        try await append(1...2)
        await sender(receiver).sendAll()
        #expect(receiver.batches.isEmpty)
        clock.withLock { $0 = $0 + 60 }
        await sender(receiver).sendAll()
        #expect(receiver.targets == ["1", "2"])
    }

    @Test func `a stream with actions gets those alone`() async throws {
        let receiver = Receiver()
        let sender = sender(receiver, actions: ["sign_in.*", "sign_out"])
        await sender.sendAll()
        try await append(1...1, .signedIn)
        try await append(2...2, .tenantCreated)
        try await append(3...3, .signedOut)
        try await append(4...4, .signInFailed)
        await sender.sendAll()
        #expect(receiver.targets == ["1", "3", "4"])
        #expect(try await stores.auditStreams.positions() == ["siem": 4])
    }

    @Test func `a program that takes one event at a time gets no more, and is asked about none that it has no use for`()
        async throws
    {
        let receiver = Receiver(eventsMax: 1)
        let sender = sender(receiver)
        await sender.sendAll()
        try await append(1...2)
        try await append(3...120, .roleCreated)
        try await append(121...121)
        await sender.sendAll()
        #expect(receiver.batches.map(\.count) == [1, 1, 1] && receiver.targets == ["1", "2", "121"])
        #expect(try await stores.auditStreams.positions() == ["siem": 121])
    }

    @Test func `a running sender sends what is written, and lets go when it is cancelled`() async throws {
        let receiver = Receiver()
        let sender = sender(receiver)
        await sender.sendAll()
        let task = Task { await sender.run() }
        try await append(1...3)
        for _ in 0..<500 where receiver.targets.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(receiver.targets == ["1", "2", "3"])
        task.cancel()
        await task.value
        let now = clock.withLock { $0 }
        #expect(try await stores.auditStreams.claim("siem", beginningAfter: 0, until: now + 9, at: now)?.number == 3)
    }
}
