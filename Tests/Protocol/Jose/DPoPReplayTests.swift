import KeyturnBase
import KeyturnJose
import Testing

@Suite("DPoP: when, and how often, RFC 9449 §8 and §11.1")
struct DPoPReplayTests {
    static let now = DPoPSample.now
    static let sample = Result { try DPoPSample() }

    static func proof(_ id: String, sample: DPoPSample? = nil) throws -> VerifiedDPoPProof {
        try DPoPSample.verify((try sample ?? Self.sample.get()).proof(["jti": .string(id)]))
    }

    @Test(arguments: [
        (-3_600, false), (-61, false), (-60, true), (-10, true), (0, true), (10, true), (11, false), (3_600, false),
    ])
    func `63: a proof is good from a minute ago to ten seconds ahead`(_ offset: Int64, _ isGood: Bool) {
        #expect(DPoPProofWindow().contains(Self.now + offset, at: Self.now) == isGood)
    }

    @Test func `63: a window at the ends of time does not trap`() {
        for time in [UnixTime(rawValue: .min), UnixTime(rawValue: .max)] {
            #expect(!DPoPProofWindow().contains(time, at: Self.now))
        }
    }

    @Test func `64: of a hundred admissions at the same time one succeeds`() async throws {
        let memory = DPoPReplayMemory(at: Self.now)
        let proof = try Self.proof("p-1")
        let admissions = await withTaskGroup(of: DPoPReplayMemory.Admission.self) { group in
            for _ in 0..<100 { group.addTask { memory.admit(proof, evidence: Self.now, at: Self.now) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(admissions.count { $0 == .admitted } == 1)
        #expect(admissions.count { $0 == .replayed } == 99)
        #expect(memory.count == 1)
    }

    @Test func `64: the same name by another key, or another name by the same key, is another proof`() throws {
        let memory = DPoPReplayMemory(at: Self.now)
        let proofs = [try Self.proof("p-1"), try Self.proof("p-2"), try Self.proof("p-1", sample: DPoPSample())]
        for proof in proofs { #expect(memory.admit(proof, evidence: Self.now, at: Self.now) == .admitted) }
        for proof in proofs { #expect(memory.admit(proof, evidence: Self.now, at: Self.now) == .replayed) }
    }

    @Test func `64: nothing from before a restart is admitted`() throws {
        let memory = DPoPReplayMemory(at: Self.now)
        let proof = try Self.proof("p-1")
        #expect(memory.admit(proof, evidence: Self.now - 1, at: Self.now) == .tooOld)
        #expect(memory.admit(proof, evidence: Self.now, at: Self.now) == .admitted)
    }

    @Test func `64: a proof that was made ahead of time is not admitted again by the next process`() throws {
        let window = DPoPProofWindow()
        let evidence = window.earliestAcceptance(of: Self.now + 10)
        #expect(evidence == Self.now)
        let restarted = DPoPReplayMemory(at: Self.now + 1, rememberSeconds: window.rememberSeconds)
        #expect(restarted.admit(try Self.proof("p-1"), evidence: evidence, at: Self.now + 1) == .tooOld)
    }

    @Test func `64: what is still good is remembered, however the generations turn`() throws {
        let window = DPoPProofWindow()
        for start in [Int64(0), 1, 35, 69, 70, 71] {
            let memory = DPoPReplayMemory(at: Self.now - 1_000, rememberSeconds: window.rememberSeconds)
            _ = memory.admit(try Self.proof("first"), evidence: Self.now - 10, at: Self.now)
            let proof = try Self.proof("p-1")
            let issuedAt = Self.now + start
            let evidence = window.earliestAcceptance(of: issuedAt)
            #expect(memory.admit(proof, evidence: evidence, at: issuedAt) == .admitted)
            for offset in Int64(0)...150 {
                _ = memory.admit(
                    try Self.proof("other-\(offset)"), evidence: evidence + offset, at: issuedAt + offset)
                #expect(memory.admit(proof, evidence: evidence, at: issuedAt + offset) != .admitted)
            }
        }
    }

    @Test func `64: a fresh proof in its last second is not too old`() throws {
        let window = DPoPProofWindow()
        let memory = DPoPReplayMemory(at: Self.now - 100, rememberSeconds: window.rememberSeconds)
        for second in Int64(0)..<400 {
            let issuedAt = Self.now + second - window.maxAgeSeconds
            let proof = try Self.proof("late-\(second)")
            let evidence = window.earliestAcceptance(of: issuedAt)
            let ahead = try Self.proof("ahead-\(second)")
            let newest = window.earliestAcceptance(of: Self.now + second + window.futureSeconds)
            #expect(memory.admit(ahead, evidence: newest, at: Self.now + second) == .admitted)
            if second >= 40 { #expect(memory.admit(proof, evidence: evidence, at: Self.now + second) == .admitted) }
        }
        #expect(memory.count < 4 * 71 * 2)
    }

    @Test func `64: without room, what is forgotten becomes too old`() throws {
        let memory = DPoPReplayMemory(at: Self.now, generationMax: 10)
        let proofs = try (0..<60).map { try Self.proof("p-\($0)") }
        for (index, proof) in proofs.enumerated() {
            let evidence = Self.now + Int64(index)
            #expect(memory.admit(proof, evidence: evidence, at: evidence) == .admitted)
            #expect(memory.count <= 20)
        }
        for (index, proof) in proofs.enumerated() {
            let admission = memory.admit(proof, evidence: Self.now + Int64(index), at: Self.now + 60)
            #expect(admission == (index < 40 ? .tooOld : .replayed))
        }
        #expect(memory.notBefore == Self.now + 40)
    }

    @Test func `64: without room in one second, nothing more is admitted in it`() throws {
        let memory = DPoPReplayMemory(at: Self.now, generationMax: 2)
        let admissions = try (0..<6).map { memory.admit(try Self.proof("p-\($0)"), evidence: Self.now, at: Self.now) }
        #expect(admissions == [.admitted, .admitted, .admitted, .admitted, .tooOld, .tooOld])
        let next = try Self.proof("p-7")
        #expect(memory.admit(next, evidence: Self.now + 1, at: Self.now + 1) == .admitted)
    }

    @Test func `64: a clock that jumps admits nothing twice`() throws {
        let memory = DPoPReplayMemory(at: Self.now, rememberSeconds: 70)
        let proof = try Self.proof("p-1")
        #expect(memory.admit(proof, evidence: Self.now, at: Self.now) == .admitted)
        for (index, jump) in [Int64(100_000), -100_000, 200_000, 300_000, -5, 0].enumerated() {
            let other = try Self.proof("other-\(index)")
            _ = memory.admit(other, evidence: max(Self.now, Self.now + jump), at: Self.now + jump)
            #expect(memory.admit(proof, evidence: Self.now, at: Self.now + jump) != .admitted)
        }
    }
}
