import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: what was there before and after an audit event")
struct AuditChangeTests {
    private static let list = [AuditChange(field: "name", before: "Ann \u{1F4A1}", after: nil)]

    private func event(_ user: UserID?, _ bench: Bench, salt: UInt8 = 1) -> AuditEvent {
        AuditEvent(
            .userUpdated, at: bench.now, userID: user,
            changes: AuditChanges(Self.list, salt: [UInt8](repeating: salt, count: Limits.auditSaltBytes)))
    }

    private func verification(_ bench: Bench) async throws -> AuditVerification {
        let audit = bench.stores.audit
        let head = try await audit.head()
        var verification = AuditVerification(checkpoints: [], secrets: nil)
        for record in try await audit.chain(after: 0, through: head.number, limit: 1_000) { verification.check(record) }
        verification.finish(head)
        return verification
    }

    @Test(arguments: Engines.all)
    func `values are kept with their event, and the chain covers their digest`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let user = try await bench.user("ann@example.com").user.id
        let events = [event(user, bench), AuditEvent(.signedIn, at: bench.now), event(nil, bench, salt: 2)]
        try await bench.stores.audit.append(events)
        #expect(try await bench.stores.audit.newest(limit: 3) == Array(events.reversed()))
        let records = try await bench.stores.audit.records(AuditQuery())
        #expect(records.map(\.event) == Array(events.reversed()))
        #expect(records.map(\.changesDigest) == [events[2].changes?.digest, nil, events[0].changes?.digest])
        let verification = try await verification(bench)
        #expect(verification.findings.isEmpty && verification.erased == 0)
    }

    @Test(arguments: Engines.all)
    func `values go with their user, others stay, and the chain still holds`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let ann = try await bench.user("ann@example.com").user.id
        let ben = try await bench.user("ben@example.com").user.id
        try await bench.stores.audit.append([event(ann, bench), event(ben, bench), event(nil, bench)])
        _ = try await bench.stores.users.delete(ann, at: bench.now)
        // Made before, and written after.
        try await bench.stores.audit.append([event(ann, bench, salt: 3)])
        let records = try await bench.stores.audit.records(AuditQuery())
        #expect(records.map { $0.event.changes != nil } == [false, true, true, false])
        #expect(records.allSatisfy { $0.changesDigest != nil })
        let verification = try await verification(bench)
        #expect(verification.findings.isEmpty && verification.erased == 2)
    }

    @Test(arguments: Engines.all)
    func `users are deleted while their events are written`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        var users: [UserID] = []
        for number in 0..<20 { users.append(try await bench.user("u\(number)@example.com").user.id) }
        let all = users
        _ = try await bench.race(40) { stores, number in
            if number.isMultiple(of: 2) {
                _ = try await stores.users.delete(all[number / 2], at: bench.now)
            } else {
                try await stores.audit.append(all.reversed().map { event($0, bench) })
            }
        }
        let records = try await bench.stores.audit.records(AuditQuery())
        #expect(records.count == 400 && records.allSatisfy { $0.event.changes == nil })
        #expect(try await verification(bench).findings.isEmpty)
    }

    @Test(arguments: Engines.all)
    func `values go with their events`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let user = try await bench.user("ann@example.com").user.id
        try await bench.stores.audit.append((0..<5).map { _ in event(user, bench) })
        let later = bench.now + 10
        try await bench.stores.audit.append([
            AuditEvent(.userUpdated, at: later, userID: user, changes: event(user, bench).changes)
        ])
        while try await bench.stores.audit.remove(before: later, limit: 2, at: later) > 0 {}
        let records = try await bench.stores.audit.records(AuditQuery())
        #expect(records.map { $0.event.changes?.list } == [Self.list])
        #expect(try await verification(bench).findings.isEmpty)
    }
}
