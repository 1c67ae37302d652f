import KeyturnBase
import Model
import Testing

@Suite("Store: the chain of audit events")
struct AuditChainTests {
    private func event(_ number: Int64, _ bench: Bench) -> AuditEvent {
        AuditEvent(.signedIn, at: bench.now + number, userID: UserID(rawValue: "u\(number)"), reason: "pwd")
    }

    /// What the chain's records say from the first to the last.
    private func verification(_ bench: Bench, secrets: ServerSecrets? = nil) async throws -> AuditVerification {
        let audit = bench.stores.audit
        let head = try await audit.head()
        var verification = AuditVerification(checkpoints: try await audit.checkpoints(), secrets: secrets)
        for record in try await audit.chain(after: 0, through: head.number, limit: 1_000) { verification.check(record) }
        verification.finish(head)
        return verification
    }

    @Test(arguments: Engines.all)
    func `each event is stored with the digest of the one before`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let audit = bench.stores.audit
        #expect(try await audit.head() == AuditHead(number: 0, digest: AuditChain.beginning))
        let events = (0..<5).map { event($0, bench) }
        try await audit.append(Array(events[..<3]))
        try await audit.append(Array(events[3...]))
        var digest = AuditChain.beginning
        let head = try await audit.head()
        for record in try await audit.chain(after: 0, through: head.number, limit: 9) {
            #expect(record.previous == digest)
            digest = AuditChain.digest(of: record.event, after: digest)
        }
        #expect(head.digest == digest)
        let middle = try await audit.chain(after: 0, through: head.number, limit: 2)
        #expect(middle.map(\.event) == Array(events[..<2]))
        let rest = try await audit.chain(after: middle[1].number, through: head.number - 1, limit: 9)
        #expect(rest.map(\.event) == Array(events[2..<4]))
        let searched = try await audit.records(AuditQuery()).last
        #expect(searched?.previous == AuditChain.beginning)
    }

    @Test(arguments: Engines.all)
    func `the chain has one end, however many write at once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        _ = try await bench.race(60) { stores, batch in
            try await stores.audit.append(
                (0..<3).map { AuditEvent(.signedIn, at: bench.now, reason: "\($0)", target: "\(batch)") })
        }
        let verification = try await verification(bench)
        #expect(verification.findings.isEmpty && verification.events == 180)
        #expect(verification.first?.isBeginning == true)
    }

    @Test(arguments: Engines.all)
    func `text with U+0000 is in the chain as it is stored`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.stores.audit.append([
            AuditEvent(
                .signInFailed, at: bench.now, userID: UserID(rawValue: "a\u{0}b"), clientID: "c\u{0}",
                actor: "\u{0}", target: "t\u{0}t"),
            event(1, bench),
        ])
        #expect(try await verification(bench).findings.isEmpty)
    }

    @Test(arguments: Engines.all)
    func `what stays after the oldest events are removed is one chain`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let audit = bench.stores.audit
        // A clock that was ahead for a moment holds nothing up, and one that was behind takes nothing along.
        let times: [Int64] = [0, 1, 90_000_000, 2, 50, 3, 60]
        try await audit.append(times.map { event($0, bench) })
        let now = bench.now + 100
        var removed = 0
        for _ in 0..<3 { removed += try await audit.remove(before: bench.now + 10, limit: 2, at: now) }
        #expect(removed == 4)
        let events = try await audit.search(AuditQuery())
        #expect(events.map { $0.at.seconds(since: bench.now) } == [60, 3, 50])
        // Events of a server whose clock is ahead of this one's are no old ones.
        try await audit.append([event(200, bench)])
        #expect(try await audit.remove(before: bench.now + 61, limit: 9, at: now) == 3)
        #expect(try await audit.remove(before: bench.now + 61, limit: 9, at: now) == 0)
        let verification = try await verification(bench)
        #expect(verification.findings.isEmpty && verification.events == 1)
        #expect(verification.first?.isBeginning == false)
    }

    @Test(arguments: Engines.all)
    func `checkpoints stay as they were first written, and go with their events`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let audit = bench.stores.audit
        let secrets = try #require(ServerSecrets([[UInt8](repeating: 1, count: 32)]))
        let key = secrets.first(for: .auditCheckpoint)
        var signed: [AuditCheckpoint] = []
        for number in 0..<3 {
            try await audit.append([event(Int64(number), bench)])
            let checkpoint = AuditCheckpoint(try await audit.head(), at: bench.now + Int64(number), key: key)
            try await audit.add(checkpoint)
            try await audit.add(AuditCheckpoint(try await audit.head(), at: bench.now + 99, key: key))
            signed.append(checkpoint)
        }
        #expect(try await audit.checkpoints() == signed)
        #expect(try await verification(bench, secrets: secrets).confirmed == 3)
        _ = try await audit.remove(before: bench.now + 1, limit: 9, at: bench.now + 9)
        #expect(try await audit.checkpoints() == Array(signed[1...]))
        #expect(try await verification(bench, secrets: secrets).findings.isEmpty)
    }
}
