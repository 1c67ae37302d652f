import KeyturnBase
import Testing

@testable import Model

@Suite("Verifying the audit log")
struct AuditVerificationTests {
    static let secrets = ServerSecrets([[UInt8](repeating: 7, count: 32)])
    static let start = UnixTime(rawValue: 1_800_000_000)

    /// A log of so many events, a second apart.
    struct Log {
        var records: [AuditRecord] = []
        var head = AuditHead(number: 0, digest: AuditChain.beginning)
        var checkpoints: [AuditCheckpoint] = []

        init(_ count: Int, every seconds: Int64 = 1) {
            for number in 1...Int64(count) {
                let event = AuditEvent(
                    .signedIn, at: start + number * seconds, userID: UserID(rawValue: "u\(number)"), clientID: "web",
                    address: "192.0.2.1", reason: "pwd")
                records.append(
                    AuditRecord(number: number, event: event, loginIDs: [], tenants: [], previous: head.digest))
                head = AuditHead(number: number, digest: AuditChain.digest(of: event, after: head.digest))
            }
        }

        mutating func sign() throws {
            let key = try #require(secrets?.first(for: .auditCheckpoint))
            checkpoints.append(AuditCheckpoint(head, at: start, key: key))
        }

        mutating func change(_ number: Int64, _ event: (AuditEvent) -> AuditEvent) {
            let index = Int(number) - 1
            let record = records[index]
            records[index] = AuditRecord(
                number: number, event: event(record.event), loginIDs: [], tenants: [], previous: record.previous)
        }

        /// Every digest computed anew, as whoever can write the database could.
        mutating func link() {
            head = AuditHead(number: 0, digest: AuditChain.beginning)
            records = records.map { record in
                let linked = AuditRecord(
                    number: record.number, event: record.event, loginIDs: [], tenants: [], previous: head.digest)
                head = AuditHead(
                    number: record.number, digest: AuditChain.digest(of: record.event, after: head.digest))
                return linked
            }
        }

        func verified(secrets: ServerSecrets? = AuditVerificationTests.secrets, digest: [UInt8]? = nil)
            -> AuditVerification
        {
            var verification = AuditVerification(checkpoints: checkpoints, secrets: secrets, digest: digest)
            for record in records { verification.check(record) }
            verification.finish(head)
            return verification
        }
    }

    @Test func `a log as it was written has no findings`() throws {
        var log = Log(9)
        try log.sign()
        let verification = log.verified(digest: log.records[4].previous)
        #expect(verification.findings.isEmpty)
        #expect(verification.events == 9 && verification.confirmed == 1)
        #expect(Log(1).verified().findings.isEmpty)
    }

    @Test(arguments: 1...9 as ClosedRange<Int64>)
    func `a changed event is found, whichever member was changed`(_ number: Int64) {
        let changes: [(AuditEvent) -> AuditEvent] = [
            {
                AuditEvent(
                    .signInFailed, at: $0.at, userID: $0.userID, clientID: "web", address: "192.0.2.1", reason: "pwd")
            },
            {
                AuditEvent(
                    $0.kind, at: $0.at + 1, userID: $0.userID, clientID: "web", address: "192.0.2.1", reason: "pwd")
            },
            { AuditEvent($0.kind, at: $0.at, userID: nil, clientID: "web", address: "192.0.2.1", reason: "pwd") },
            { AuditEvent($0.kind, at: $0.at, userID: $0.userID, clientID: "we", address: "b192.0.2.1", reason: "pwd") },
            {
                AuditEvent(
                    $0.kind, at: $0.at, userID: $0.userID, clientID: "web", address: "192.0.2.1", reason: "pwd",
                    actor: "")
            },
        ]
        for change in changes {
            var log = Log(9)
            log.change(number, change)
            let findings = log.verified().findings
            #expect(
                findings == [number == 9 ? .endMissing(number: 9) : .broken(number: number + 1, previous: number)])
        }
    }

    @Test func `an event that was removed, added or moved is found`() {
        var removed = Log(9)
        removed.records.remove(at: 4)
        #expect(removed.verified().findings == [.broken(number: 6, previous: 4)])

        var cut = Log(9)
        cut.records.removeLast(2)
        #expect(cut.verified().findings == [.endMissing(number: 7)])

        var moved = Log(9)
        moved.records.swapAt(3, 4)
        #expect(moved.verified().findings.count == 3)

        var added = Log(9)
        added.records.insert(
            AuditRecord(number: 5, event: added.records[3].event, loginIDs: [], tenants: []), at: 4)
        #expect(added.verified().findings == [.unchained(number: 5)])

        var empty = Log(9)
        empty.records = []
        #expect(empty.verified().findings == [.endMissing(number: 9)])
    }

    @Test func `a beginning that was removed is no finding, and neither are events before the chain`() {
        var log = Log(9)
        log.records.removeFirst(3)
        let later = log.verified()
        #expect(later.findings.isEmpty && later.first?.isBeginning == false && later.first?.number == 4)

        var older = Log(3)
        older.records.insert(
            AuditRecord(number: 0, event: AuditEvent(.signedIn, at: Self.start), loginIDs: [], tenants: []), at: 0)
        #expect(older.verified().findings.isEmpty && older.verified().earlier == 1)
    }

    @Test func `a month that went whole may leave gaps at the very beginning, and nowhere else`() {
        var log = Log(9)
        log.records.removeFirst(3)
        log.records.remove(at: 1)
        #expect(log.verified().findings.isEmpty)

        var later = Log(9, every: 1_000)
        later.records.removeFirst(3)
        later.records.remove(at: 4)
        #expect(later.verified().findings == [.broken(number: 9, previous: 7)])
    }

    @Test func `another log with all digests computed anew is not the one that was signed`() throws {
        var log = Log(9)
        try log.sign()
        let noted = log.head.digest
        log.change(2) { AuditEvent(.signedOut, at: $0.at) }
        log.link()
        #expect(log.verified().findings == [.notAsSigned(number: 9)])
        #expect(log.verified(digest: noted).findings == [.notAsSigned(number: 9), .digestMissing])

        log.checkpoints = [
            AuditCheckpoint(
                number: 9, digest: log.head.digest, at: Self.start, mac: [UInt8](repeating: 0, count: 32))
        ]
        #expect(log.verified().findings == [.forgedCheckpoint(number: 9)])
        #expect(log.verified(secrets: nil).findings.isEmpty, "unknown without the secrets")

        var cut = Log(9)
        try cut.sign()
        cut.records.removeLast(2)
        cut.head = AuditHead(
            number: 7, digest: AuditChain.digest(of: cut.records[6].event, after: cut.records[6].previous ?? []))
        #expect(cut.verified().findings == [.notAsSigned(number: 9)])
    }

    @Test func `events that were removed from the beginning are missed by their checkpoints`() throws {
        var log = Log(3)
        try log.sign()
        log.records.removeFirst(2)
        #expect(log.verified().findings.isEmpty)
        log.records = []
        #expect(log.verified().findings == [.notAsSigned(number: 3), .endMissing(number: 3)])

        var cut = Log(9)
        var early = Log(3)
        try early.sign()
        cut.checkpoints = early.checkpoints
        cut.records.removeFirst(4)
        #expect(cut.verified().findings == [.notAsSigned(number: 3)])
    }

    @Test func `what was signed beside an event of an earlier release is the chain's end`() throws {
        let older = AuditRecord(
            number: 1, event: AuditEvent(.signedIn, at: Self.start), loginIDs: [], tenants: [])
        let key = try #require(Self.secrets?.first(for: .auditCheckpoint))
        let head = AuditHead(number: 1, digest: AuditChain.beginning)
        var verification = AuditVerification(
            checkpoints: [AuditCheckpoint(head, at: Self.start, key: key)], secrets: Self.secrets)
        verification.check(older)
        verification.finish(head)
        #expect(verification.findings.isEmpty && verification.confirmed == 1)
    }

    @Test func `checkpoints of every secret count`() throws {
        var log = Log(2)
        try log.sign()
        let rotated = ServerSecrets([[UInt8](repeating: 8, count: 32), [UInt8](repeating: 7, count: 32)])
        #expect(log.verified(secrets: rotated).confirmed == 1)
        let other = ServerSecrets([[UInt8](repeating: 8, count: 32)])
        #expect(log.verified(secrets: other).findings == [.forgedCheckpoint(number: 2)])
    }
}
